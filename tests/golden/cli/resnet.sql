-- The tables of a small export, empty but for its names: ResNet50 on a V100.
CREATE TABLE META_DATA_EXPORT(name TEXT, value TEXT);
INSERT INTO META_DATA_EXPORT VALUES('EXPORT_PRODUCT_VERSION','2024.6.2.225'),
  ('EXPORT_SCHEMA_VERSION','3.16.1'),('EXPORT_SCHEMA_VERSION_MAJOR','3'),
  ('EXPORT_SCHEMA_VERSION_MINOR','16'),('EXPORT_SCHEMA_VERSION_MICRO','1');
CREATE TABLE StringIds(id INTEGER PRIMARY KEY, value TEXT NOT NULL);
INSERT INTO StringIds VALUES(1,'cudaLaunchKernel'),(2,'ShuffleInTensor3Simple'),
  (3,'computeOffsetsKernel'),(4,'volta_scudnn_128x64_relu_interior_nn_v1'),(5,'volta_cgemm_32x32_tn'),
  (6,'cudaDeviceSynchronize');
CREATE TABLE PROCESSES(globalPid INTEGER, pid INTEGER, name TEXT);
INSERT INTO PROCESSES VALUES(281476654432256,100,'python');
CREATE TABLE TARGET_INFO_GPU(vmId INTEGER, id INTEGER, name TEXT, cuDevice INTEGER);
INSERT INTO TARGET_INFO_GPU VALUES(281474976710656,0,'Tesla V100-SXM2-16GB',0);
CREATE TABLE NVTX_EVENTS(start INTEGER, end INTEGER, eventType INTEGER, text TEXT,
  globalTid INTEGER, endGlobalTid INTEGER, textId INTEGER, domainId INTEGER);
CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME(start INTEGER, end INTEGER, eventClass INTEGER,
  globalTid INTEGER, correlationId INTEGER, nameId INTEGER, returnValue INTEGER);
CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL(start INTEGER, end INTEGER, deviceId INTEGER,
  contextId INTEGER, streamId INTEGER, correlationId INTEGER, globalPid INTEGER,
  demangledName INTEGER, shortName INTEGER, registersPerThread INTEGER, gridX INTEGER,
  gridY INTEGER, gridZ INTEGER, blockX INTEGER, blockY INTEGER, blockZ INTEGER,
  staticSharedMemory INTEGER, dynamicSharedMemory INTEGER);
