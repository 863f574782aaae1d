-- A correlation id that several calls have: the last call before the work. Work without a call, and ids out of range.
.read common/tables.sql
INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (100, 110, 0, 0x0001000010000011, 1, 1, 0, NULL), (400, 410, 0, 0x0001000010000011, 1, 1, 0, NULL);
INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL (start, end, deviceId, contextId, streamId, correlationId, globalPid, demangledName, shortName) VALUES
  (200, 300, 0, 1, 7, 1, 0x0001000010000000, 2, 3),
  (500, 600, 0, 1, 7, 1, 0x0001000010000000, 2, 3),
  (610, 620, 0, 1, 7, 99, 0x0001000010000000, 2, 3),
  (630, 640, 0, 1, 7, 0, 0x0001000010000000, 2, 3),
  (650, 660, 0, 1, 7, 4294967296, 0x0001000010000000, 2, 3),
  (670, 680, 0, 1, 7, -1, 0x0001000010000000, 2, 3),
  (690, 700, 0, 1, 7, NULL, 0x0001000010000000, 2, 3);
