-- In 2022 the table of graphs held nodes: its columns tell.
.read common/tables.sql
CREATE TABLE CUDA_GRAPH_EVENTS (start INTEGER, end INTEGER, eventClass INTEGER, globalTid INTEGER, nameId INTEGER, graphNodeId INTEGER, originalGraphNodeId INTEGER);
INSERT INTO CUDA_GRAPH_EVENTS VALUES (-900, -900, 77, 0x0001000010000011, 3, 10, NULL), (-800, -800, 77, 0x0001000010000011, 3, 20, 10), (-700, -700, 5, 0x0001000010000011, 3, 30, 10);
