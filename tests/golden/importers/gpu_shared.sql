-- Several processes on the only GPU that runs CUDA: it is that one.
.read common/tables.sql
INSERT INTO TARGET_INFO_GPU VALUES (1, 1, 'Basic Render', NULL, NULL, NULL, 0, NULL, 0), (1, 0, 'the GPU', '01', 1, 1, 16, 'a', 0);
INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL (start, end, deviceId, contextId, streamId, correlationId, globalPid, demangledName, shortName) VALUES
  (10, 20, 0, 1, 7, 0, 0x0001000010000000, 2, 3), (50, 60, 0, 1, 7, 0, 0x0001000020000000, 2, 3);
