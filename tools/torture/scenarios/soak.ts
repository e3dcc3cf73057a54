import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import type { Engine } from '../engine.ts'
import { createFleet } from '../fleet.ts'
import { createRandom } from '../random.ts'
import type { Trial } from '../scenario.ts'
import { judgeSamples, type Sample, summarize } from '../soak/judge-samples.ts'
import { measureProcess } from '../soak/measure-process.ts'
import { measureSizes } from '../soak/measure-sizes.ts'
import { createSteadyLoad } from '../soak/steady-load.ts'
import { watchFleet } from '../watchdog.ts'

const settings = {
  port: 0,
  // High enough for the steady load. The limiter itself works as in production.
  rateLimitPerOrganization: 1_000_000,
  rateLimitPerKey: 1_000_000,
  retentionDays: 1,
  recordRetentionDays: 1,
  organizations: [
    {
      id: 'torture',
      integrations: [{ wabaNumber: '+15550100001' }],
      pstnNumbers: ['+15550100002'],
      callSummaries: 'manual',
      apiKeys: [{ key: 'wk_torture_0123456789' }],
    },
  ],
}

/** Number of creates per second. Together with the calls, they result in 60 events per second. */
const rate = 40
/** Number of equal periods to compare. */
const parts = 6

/**
 * A mixed load for a number of minutes. Old data is removed after a twelfth of the time, so from the second sixth on,
 * all measurements should be level: memory, handles, tables, indexes, files, and response times.
 */
export const soak: Trial<Engine> = async ({ engine, seed, times: minutes, progress }) => {
  await using made = new AsyncDisposableStack()
  const folder = mkdtempSync(join(tmpdir(), 'wabakit-soak-'))
  made.defer(() => rmSync(folder, { recursive: true }))
  const config = join(folder, 'wabakit.config.json')
  writeFileSync(config, JSON.stringify(settings), { mode: 0o600 })
  const database = await engine.createDatabase(folder)
  const fleet = createFleet({
    roles: engine.roles.slice(0, 2),
    random: createRandom(seed),
    config,
    attempts: join(folder, 'attempts.jsonl'),
    ends: join(folder, 'ends.jsonl'),
    logs: folder,
    addressFor: (name) => database.addressFor(name),
    preload: join(import.meta.dirname, '../preload/short-days.ts'),
    environment: { WABAKIT_DAY_MS: String(minutes * 5_000) },
  })
  made.defer(async () => void (await Promise.all(fleet.members.map((member) => member.end('SIGKILL')))))
  await Promise.all(fleet.members.map((member) => member.start()))
  const watchdog = watchFleet(fleet)
  made.defer(async () => void (await watchdog.stop()))
  const load = await createSteadyLoad(rate)
  for (const [channel, number] of [
    ['WHATSAPP', '+15550100001'],
    ['PSTN', '+15550100002'],
  ]) {
    await fetch(`${fleet.url()}/_wabakit/organizations/torture/subscriptions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ channel, number, url: load.endpoint }),
    })
  }

  load.start(fleet.url())
  const begun = performance.now()
  const samplesPerPart = Math.max(2, Math.round(minutes))
  const all: Sample[][] = []
  for (let part = 0; part < parts; part++) {
    const samples: Sample[] = []
    for (let nth = 1; nth <= samplesPerPart; nth++) {
      const at = ((part + nth / samplesPerPart) / parts) * minutes * 60_000
      await setTimeout(Math.max(0, begun + at - performance.now()))
      samples.push({
        ...load.sample(),
        processes: fleet.members.map((member) => measureProcess(member.pid())),
        sizes: await measureSizes(database.address),
      })
    }
    all.push(samples)
    console.log(JSON.stringify({ part: part + 1, at: new Date().toISOString(), ...summarize(samples) }))
    progress(`${part + 1} of ${parts} parts`)
  }
  const lost = await load.stop()
  const silent = await watchdog.stop()
  const codes = await Promise.all(fleet.members.map((member) => member.end('SIGTERM')))
  const verdict = judgeSamples(all.map(summarize))
  console.table(verdict.table)
  return {
    done: `${minutes} minutes at ${rate} creates per second`,
    failures: [
      ...silent,
      ...(lost.length > 0
        ? [`${lost.length} acknowledged groups whose events never arrived, such as ${lost[0]}`]
        : []),
      ...(codes.some((code) => code !== 0) ? [`the processes ended with ${codes}`] : []),
      ...verdict.failures,
    ],
  }
}
