-- Views over the small tables of a dataset (docs/dataset.md). DuckDB:
--   SET VARIABLE dataset = '/data/runs';
--   .read xsp.sql
-- Spark: python3 -m xsp_fleet sql --dataset /data/runs 'SELECT * FROM rank_steps'
CREATE OR REPLACE TEMP VIEW steps AS
SELECT * FROM read_parquet(getvariable('dataset') || '/run=*/global_rank=*/steps.parquet', hive_partitioning = true,
  hive_types = {'run': VARCHAR, 'global_rank': BIGINT});

CREATE OR REPLACE TEMP VIEW budget AS
SELECT * FROM read_parquet(getvariable('dataset') || '/run=*/global_rank=*/budget.parquet', hive_partitioning = true,
  hive_types = {'run': VARCHAR, 'global_rank': BIGINT});

CREATE OR REPLACE TEMP VIEW collective_instances AS
SELECT * FROM read_parquet(getvariable('dataset') || '/run=*/global_rank=*/collective_instances.parquet', hive_partitioning = true,
  hive_types = {'run': VARCHAR, 'global_rank': BIGINT});

CREATE OR REPLACE TEMP VIEW segments AS
SELECT * FROM read_parquet(getvariable('dataset') || '/run=*/global_rank=*/segments.parquet', hive_partitioning = true,
  hive_types = {'run': VARCHAR, 'global_rank': BIGINT});

CREATE OR REPLACE TEMP VIEW facts AS
SELECT * FROM read_parquet(getvariable('dataset') || '/run=*/global_rank=*/facts.parquet', hive_partitioning = true,
  hive_types = {'run': VARCHAR, 'global_rank': BIGINT});

-- From here on for every engine.

-- The steps that figures are means over.
CREATE OR REPLACE TEMP VIEW counted_steps AS
SELECT run, global_rank, process, step, name, kind, begin_ns, end_ns, end_ns - begin_ns AS step_ns
FROM steps WHERE role = 'counted';

-- A row per rank and kind of step (kinds are never averaged): how long its counted steps took.
CREATE OR REPLACE TEMP VIEW rank_steps AS
SELECT run, global_rank, kind, count(*) AS steps, avg(step_ns) AS mean_ns, median(step_ns) AS median_ns,
  min(step_ns) AS shortest_ns, max(step_ns) AS longest_ns
FROM counted_steps GROUP BY run, global_rank, kind;

-- What the counted steps of a rank went to, in the mean: the causes that add up.
CREATE OR REPLACE TEMP VIEW rank_budget AS
SELECT b.run, b.global_rank, s.kind, b.cause, avg(b.ns) AS mean_ns
FROM budget b JOIN counted_steps s
  ON s.run = b.run AND s.global_rank = b.global_rank AND s.process = b.process AND s.step = b.step
WHERE b.part_of = '' GROUP BY b.run, b.global_rank, s.kind, b.cause;

-- Collectives of a run by communicator, operation and size.
CREATE OR REPLACE TEMP VIEW communication AS
SELECT run, communicator, operation, bytes, count(*) AS instances, count(DISTINCT global_rank) AS ranks,
  sum(end_ns - begin_ns) AS total_ns, sum(exposed_ns) AS exposed_ns, sum(blocking_ns) AS blocking_ns
FROM collective_instances GROUP BY run, communicator, operation, bytes;

-- A row per run and kind of step: the mean step over its ranks, when it was recorded, and on what.
CREATE OR REPLACE TEMP VIEW run_trend AS
SELECT f.run, r.kind, min(f.session_start_ns) AS started_ns, count(*) AS ranks, max(f.world_size) AS world_size,
  min(f.gpu) AS gpu, avg(r.mean_ns) AS step_ns
FROM facts f LEFT JOIN rank_steps r ON r.run = f.run AND r.global_rank = f.global_rank
GROUP BY f.run, r.kind;
