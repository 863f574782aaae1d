-- No start, no end, an end before the start, no time stamps at all, negative and absurd times.
.read common/tables.sql
INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL (start, end, deviceId, contextId, streamId, correlationId, globalPid, demangledName, shortName) VALUES
  (NULL, 10, 0, 1, 7, 0, 0x0001000010000000, 2, 3),
  (10, NULL, 0, 1, 7, 0, 0x0001000010000000, 2, 3),
  (30, 20, 0, 1, 7, 0, 0x0001000010000000, 2, 3),
  (0, 0, 0, 1, 7, 0, 0x0001000010000000, 2, 3),
  (-50, 5, 0, 1, 7, 0, 0x0001000010000000, 2, 3),
  (0, 4, 0, 1, 7, 0, 0x0001000010000000, 2, 3),
  (9223372036854775807, 9223372036854775807, 0, 1, 7, 0, 0x0001000010000000, 2, 3),
  (40, 9223372036854775807, 0, 1, 7, 0, 0x0001000010000000, 2, 3),
  (1700000000000000001, 1700000000000000007, 0, 1, 7, 0, 0x0001000010000000, 2, 3);
INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (0, 0, 0, 0x0001000010000011, 1, 1, 0, NULL);
