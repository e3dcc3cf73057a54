import type { Engine } from './engine.ts'
import type { PostgresEngine } from './postgres-engine.ts'
import type { Trial } from './scenario.ts'
import { blackHoles } from './scenarios/black-holes.ts'
import { clock } from './scenarios/clock.ts'
import { creates } from './scenarios/creates.ts'
import { failoverLosses, failovers } from './scenarios/failovers.ts'
import { ingest } from './scenarios/ingest.ts'
import { kills } from './scenarios/kills.ts'
import { lies } from './scenarios/lies.ts'
import { loneKills } from './scenarios/lone-kills.ts'
import { postgresStorage } from './scenarios/postgres-storage.ts'
import { powerLies, powerLosses } from './scenarios/power-losses.ts'
import { restarts } from './scenarios/restarts.ts'
import { scaling } from './scenarios/scaling.ts'
import { soak } from './scenarios/soak.ts'
import { sqliteStorage } from './scenarios/sqlite-storage.ts'
import { stops } from './scenarios/stops.ts'
import { targets } from './scenarios/targets.ts'
import { upgrades } from './scenarios/upgrades.ts'
import { zombies } from './scenarios/zombies.ts'

/** A scenario, its number of repetitions in the long form, and whether it runs only on request. */
export type ScenarioEntry<On extends Engine> = {
  readonly run: Trial<On>
  readonly times: number
  readonly isOnRequest?: boolean
}

/** Scenarios by name. */
export type Scenarios<On extends Engine> = Readonly<Record<string, ScenarioEntry<On>>>

const onBoth = {
  targets: { run: targets, times: 10 },
  clock: { run: clock, times: 40 },
  ingest: { run: ingest, times: 20 },
  // For this scenario, `times` is in minutes.
  soak: { run: soak, times: 60, isOnRequest: true },
}

/** The scenarios for SQLite. */
export const sqliteScenarios: Scenarios<Engine> = {
  kills: { run: kills, times: 200 },
  stops: { run: stops, times: 20 },
  storage: { run: sqliteStorage, times: 20 },
  'power-loss': { run: powerLosses, times: 60 },
  'power-lies': { run: powerLies, times: 6 },
  ...onBoth,
  lies: { run: lies, times: 1_000 },
}

/** The scenarios for PostgreSQL. */
export const postgresScenarios: Scenarios<PostgresEngine> = {
  kills: { run: kills, times: 200 },
  'lone-kills': { run: loneKills, times: 6 },
  zombies: { run: zombies, times: 20 },
  scaling: { run: scaling, times: 60 },
  stops: { run: stops, times: 40 },
  upgrades: { run: upgrades, times: 40 },
  restarts: { run: restarts, times: 30 },
  failover: { run: failovers, times: 10 },
  'failover-losses': { run: failoverLosses, times: 3 },
  creates: { run: creates, times: 50_000 },
  'black-holes': { run: blackHoles, times: 6 },
  storage: { run: postgresStorage, times: 30 },
  ...onBoth,
  lies: { run: lies, times: 500 },
}
