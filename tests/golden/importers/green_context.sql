-- Work in a green context stands on the stream of the context that was split.
.read common/tables.sql
INSERT INTO TARGET_INFO_CUDA_CONTEXT_INFO VALUES (7, 0, 1, 16, 0, 1, 0, 0), (21, 0, 1, 16, 0, 2, 1, 1);
INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL (start, end, deviceId, contextId, greenContextId, streamId, correlationId, globalPid, demangledName, shortName) VALUES (10, 20, 0, 1, 2, 13, 0, 0x0001000010000000, 2, 3);
