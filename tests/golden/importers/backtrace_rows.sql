-- With --cudabacktrace a call has a second, wider row: not a call, but its chain is the call's.
.read common/tables.sql
CREATE TABLE CUDA_CALLCHAINS (id INTEGER NOT NULL, symbol INTEGER NOT NULL, module INTEGER NOT NULL, unresolved INTEGER, originalIP INTEGER, stackDepth INTEGER NOT NULL, PRIMARY KEY (id, stackDepth));
INSERT INTO StringIds VALUES (20, 'cudaLaunchKernel'), (21, 'main'), (22, 'solve'), (23, '/bin/app');
INSERT INTO CUDA_CALLCHAINS VALUES (1, 22, 23, NULL, 4096, 0), (1, 21, 23, 1, 8192, 1);
INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (99, 111, 67, 0x0001000010000011, 1, 20, 0, 1), (100, 110, 0, 0x0001000010000011, 1, 1, 0, NULL), (119, 131, 67, 0x0001000010000011, 2, 20, 0, 0), (120, 130, 0, 0x0001000010000011, 2, 1, 0, NULL);
INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL (start, end, deviceId, contextId, streamId, correlationId, globalPid, demangledName, shortName) VALUES (200, 300, 0, 1, 7, 1, 0x0001000010000000, 2, 3);
