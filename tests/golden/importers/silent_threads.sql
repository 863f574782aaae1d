-- Of a process that uses a GPU, threads with a name of their own are there, one of each name, though nothing else was recorded of them.
.read common/tables.sql
INSERT INTO StringIds VALUES (20, 'python'), (21, 'receiver');
INSERT INTO ThreadNames VALUES (20, 0, 0x0001000010000010), (20, 0, 0x0001000010000012), (21, 0, 0x0001000010000013), (21, 0, 0x0001000010000014), (9, 0, 0x0001000010000011), (21, 0, 0x0001000020000021);
INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (1, 2, 0, 0x0001000010000011, 1, 1, 0, NULL), (3, 4, 0, 0x0001000020000022, 1, 1, 0, NULL);
INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL (start, end, deviceId, contextId, streamId, correlationId, globalPid, demangledName, shortName) VALUES (10, 20, 0, 1, 7, 1, 0x0001000010000000, 2, 3);
