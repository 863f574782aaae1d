-- Text and blobs where numbers belong, numbers where text belongs.
.read common/tables.sql
INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL (start, end, deviceId, contextId, streamId, correlationId, globalPid, demangledName, shortName, gridX) VALUES
  ('abc', 10, 0, 1, 7, 0, 0x0001000010000000, 2, 3, 1), (20, 30, 'zero', X'01', 7.5, 'x', 0x0001000010000000, 'name', 3, 'many');
INSERT INTO NVTX_EVENTS (start, end, eventType, text, globalTid, textId, binaryData) VALUES (1, 2, 59, 42, 0x0001000010000011, NULL, 7), (3, X'FF', 59, 1.5, 0x0001000010000011, 'x', NULL);
INSERT INTO TARGET_INFO_GPU (id, name, smCount) VALUES (0, 17, 'many');
