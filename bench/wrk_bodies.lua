-- wrk: posts the bodies of a file, one after the other, from a place of its
-- own for each thread; prints what it counted as one line of JSON.
--     wrk ... -s wrk_bodies.lua URL -- FILE
local bodies, at = {}, 0

function init(args)
   local file = io.open(args[1], "rb")
   local text = file:read("*a")
   file:close()
   for body in text:gmatch("([^%z]+)%z") do
      bodies[#bodies + 1] = wrk.format("POST", nil,
         {["Content-Type"] = "text/plain"}, body)
   end
   math.randomseed(os.time())
   at = math.random(#bodies)
end

function request()
   at = at % #bodies + 1
   return bodies[at]
end

function done(summary, latency, requests)
   local errors = summary.errors
   io.write(string.format(
      '{"requests":%d,"seconds":%.3f,"p50":%.3f,"p99":%.3f,"p999":%.3f,' ..
      '"most":%.3f,"errors":%d}\n',
      summary.requests, summary.duration / 1e6,
      latency:percentile(50) / 1e3, latency:percentile(99) / 1e3,
      latency:percentile(99.9) / 1e3, latency.max / 1e3,
      errors.connect + errors.read + errors.write + errors.status +
      errors.timeout))
end
