-- Graph objects of the present generation, made before the capture; kernels name their nodes, one of which is not there.
.read common/tables.sql
CREATE TABLE CUDA_GRAPH_NODE_EVENTS (start INTEGER, end INTEGER, eventClass INTEGER, globalTid INTEGER, nameId INTEGER, graphNodeId INTEGER, originalGraphNodeId INTEGER);
CREATE TABLE CUDA_GRAPH_EVENTS (start INTEGER, end INTEGER, eventClass INTEGER, globalTid INTEGER, nameId INTEGER, graphId INTEGER, originalGraphId INTEGER, graphExecId INTEGER);
INSERT INTO CUDA_GRAPH_NODE_EVENTS VALUES (-900, -900, 77, 0x0001000010000011, 3, 10, NULL), (-800, -800, 77, 0x0001000010000011, 3, 20, 10);
INSERT INTO CUDA_GRAPH_EVENTS VALUES (-950, -950, 95, 0x0001000010000011, 8, 1, NULL, NULL), (-850, -850, 94, 0x0001000010000011, 8, 2, 1, 5), (-840, -840, 96, 0x0001000010000011, 8, 3, 1, NULL), (-830, -830, 123, 0x0001000010000011, 8, 4, NULL, NULL);
INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (100, 110, 0, 0x0001000010000011, 1, 8, 0, NULL);
INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL (start, end, deviceId, contextId, streamId, correlationId, globalPid, demangledName, shortName, graphNodeId, graphId) VALUES
  (200, 300, 0, 1, 7, 1, 0x0001000010000000, 2, 3, 20, 2), (250, 350, 0, 1, 7, 1, 0x0001000010000000, 2, 3, 99, 2);
