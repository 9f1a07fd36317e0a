-- What INFO says of the tables of a server, for redis_exporter:
--
--     redis_exporter --script origo_metrics.lua
--
-- gives redis_script_values{key="origo_..."}, which dashboard.json shows. Names
-- and numbers alternate, as strings.
local result = {}
for name, number in string.gmatch(redis.call("INFO", "origo"),
                                  "(origo_[%w_]+):(%d+)") do
    table.insert(result, name)
    table.insert(result, number)
end
return result
