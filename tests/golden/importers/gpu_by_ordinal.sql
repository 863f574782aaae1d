-- Without that, the system-wide ordinal; never for an ordinal that several processes use.
.read common/tables.sql
INSERT INTO TARGET_INFO_GPU VALUES (1, 0, 'first', '01', 1, 1, 1, 'a', 3), (1, 1, 'second', '02', 1, 1, 1, 'b', 0), (1, 2, 'Basic Render', NULL, NULL, NULL, 0, NULL, 3);
INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL (start, end, deviceId, contextId, streamId, correlationId, globalPid, demangledName, shortName) VALUES
  (10, 20, 0, 1, 7, 0, 0x0001000010000000, 2, 3), (30, 40, 3, 2, 7, 0, 0x0001000010000000, 2, 3), (50, 60, 0, 1, 7, 0, 0x0001000020000000, 2, 3), (70, 80, 5, 1, 7, 0, 0x0001000020000000, 2, 3);
