-- Counters of network cards: named by a map of global ids (one card), by no table at all (the other one), and a counter
-- that no list names. They belong to no GPU.
.read common/tables.sql
CREATE TABLE TARGET_INFO_NIC_INFO (GUID INTEGER, stateName TEXT, nicId INTEGER, name TEXT, deviceId INTEGER, vendorId INTEGER, linkLayer INTEGER);
CREATE TABLE NIC_ID_MAP (nicId INTEGER, globalId INTEGER);
CREATE TABLE TARGET_INFO_NETWORK_METRICS (metricsListId INTEGER, metricsIdx INTEGER, name TEXT, description TEXT, unit TEXT);
CREATE TABLE NET_NIC_METRIC (start INTEGER, "end" INTEGER, globalId INTEGER, portId INTEGER, metricsListId INTEGER, metricsIdx INTEGER, value INTEGER);
INSERT INTO TARGET_INFO_NIC_INFO VALUES (-7, '', 3, 'mlx5_0', 1, 2, 1);
INSERT INTO NIC_ID_MAP VALUES (3, 0x7000000000000001);
INSERT INTO TARGET_INFO_NETWORK_METRICS VALUES (1, 0, 'Bytes sent', '', 'B'), (1, 1, 'Bytes received', '', 'B');
INSERT INTO NET_NIC_METRIC VALUES (100, 110, 0x7000000000000001, 1, 1, 0, 4096), (110, 120, 0x7000000000000001, 1, 1, 1, 64);
INSERT INTO NET_NIC_METRIC VALUES (110, 120, 5, NULL, 1, 0, 7), (120, 130, 5, NULL, 1, 9, 8);
