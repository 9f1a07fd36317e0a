-- wrk: posts the bodies of a file, one after the other, from a place of its
-- own for each thread; prints what it counted as one line of JSON.
--     wrk ... -s wrk_bodies.lua URL -- FILE [RATE]
-- With a rate, so many are sent a second by each thread at most.
local ffi = require("ffi")
ffi.cdef [[ struct origo_time { long seconds, nanoseconds; };
            int clock_gettime(int clock, struct origo_time *out); ]]
local CLOCK_MONOTONIC = 1
local bodies, at, due = {}, 0, 0

local function now()
   local time = ffi.new("struct origo_time")
   ffi.C.clock_gettime(CLOCK_MONOTONIC, time)
   return tonumber(time.seconds) * 1e3 + tonumber(time.nanoseconds) / 1e6
end

-- wrk asks before each request how many milliseconds to wait, if it can.
local function pace(rate)
   function delay()
      local time = now()
      due = math.max(due + 1e3 / rate, time)
      return due - time
   end
end

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
   if args[2] then pace(tonumber(args[2])) end
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
