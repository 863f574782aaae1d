-- Every kind of plain payload, and JSON as text and by id.
.read common/tables.sql
INSERT INTO StringIds VALUES (40, '{"Name":"conv1"}');
INSERT INTO NVTX_EVENTS (start, end, eventType, text, globalTid, uint64Value) VALUES (1, 2, 59, 'u64', 0x0001000010000011, -1000);
INSERT INTO NVTX_EVENTS (start, end, eventType, text, globalTid, int64Value) VALUES (3, 4, 59, 'i64', 0x0001000010000011, -7);
INSERT INTO NVTX_EVENTS (start, end, eventType, text, globalTid, doubleValue) VALUES (5, 6, 59, 'double', 0x0001000010000011, 1.5);
INSERT INTO NVTX_EVENTS (start, end, eventType, text, globalTid, uint32Value) VALUES (7, 8, 59, 'u32', 0x0001000010000011, 4294967295);
INSERT INTO NVTX_EVENTS (start, end, eventType, text, globalTid, int32Value) VALUES (9, 10, 59, 'i32', 0x0001000010000011, 0);
INSERT INTO NVTX_EVENTS (start, end, eventType, text, globalTid, floatValue) VALUES (11, 12, 34, 'float', 0x0001000010000011, -0.25);
INSERT INTO NVTX_EVENTS (start, end, eventType, text, globalTid, jsonText) VALUES (13, 14, 59, 'json', 0x0001000010000011, '{"a":1}');
INSERT INTO NVTX_EVENTS (start, end, eventType, text, globalTid, jsonTextId) VALUES (15, 16, 59, 'json id', 0x0001000010000011, 40);
