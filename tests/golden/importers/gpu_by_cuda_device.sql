-- Which GPU an ordinal means is the process's own affair; the export says it.
.read common/tables.sql
INSERT INTO TARGET_INFO_GPU VALUES (1, 0, 'first', '01', 1, 1, 1, 'a', 1), (1, 1, 'second', '02', 1, 1, 1, 'b', 0);
INSERT INTO TARGET_INFO_CUDA_DEVICE VALUES (0, 1, 16), (1, 0, 16), (0, 0, 32);
INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL (start, end, deviceId, contextId, streamId, correlationId, globalPid, demangledName, shortName) VALUES
  (10, 20, 0, 1, 7, 0, 0x0001000010000000, 2, 3), (30, 40, 1, 2, 7, 0, 0x0001000010000000, 2, 3), (50, 60, 0, 1, 7, 0, 0x0001000020000000, 2, 3);
