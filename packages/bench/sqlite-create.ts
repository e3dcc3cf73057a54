import { closeSync, fsyncSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { memoryStore, type Store } from '@wabakit/core'
import { sqliteStore } from '@wabakit/server'
import { medianRatio } from './src/measurement.ts'
import { report } from './src/report.ts'
import { measureRounds } from './src/rounds.ts'

// Creates groups with an event and a delivery in process, sequentially and concurrently. Each returns when it is on disk. The
// baseline is appending a page to a file and syncing it.
//
//   node --conditions=@wabakit/source packages/bench/sqlite-create.ts
const folder = mkdtempSync(join(tmpdir(), 'wabakit-create-'))
const now = Date.UTC(2026, 0, 1)
const digits = '15550100001'
let created = 0

const createGroup = (store: Store): Promise<unknown> => {
  const number = String(created++).padStart(20, '0')
  const groupId = `wagrp_01KDV0${number}`
  const group = {
    organizationId: 'acme',
    wabaNumber: `+${digits}`,
    digits,
    subject: 'Launch',
    requestHash: null,
  }
  const event = {
    event: 'GROUP_CREATED',
    groupId,
    groupName: 'Launch',
    inviteLink: null,
    groupCreatedAt: now,
  }
  return store.createGroup({
    group: {
      ...group,
      clientCustomGroupId: groupId,
      description: null,
      joinApprovalMode: 'auto_approve',
      inviteLink: null,
      createdAt: now,
    },
    event: {
      id: `evt_01KDV0${number}`,
      organizationId: 'acme',
      name: 'GROUP_CREATED',
      subject: `group:${groupId}`,
      channel: 'WHATSAPP',
      digits,
      payload: JSON.stringify(event),
      waitsFor: null,
      occurredAt: now,
    },
  })
}

const prepareStore = async (store: Store): Promise<Store> => {
  const organization = { callSummaries: 'manual', integrations: [], pstnNumbers: [] } as const
  await store.saveOrganization({ id: 'acme', revision: 1, createdAt: now, ...organization })
  await store.saveSubscription({
    id: 'sub_1',
    organizationId: 'acme',
    revision: 1,
    channel: 'WHATSAPP',
    number: digits,
    digits,
    url: 'https://receiver.example/',
    events: 'all',
    secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
    previousSecret: null,
    headers: {},
    disabledReason: null,
    failingSince: null,
    createdAt: now,
    updatedAt: now,
  })
  return store
}

const sqlite = await prepareStore(sqliteStore({ path: join(folder, 'wabakit.db') }))
const memory = await prepareStore(memoryStore())
const file = openSync(join(folder, 'pages'), 'w')
const page = Buffer.alloc(4_096)

const createContender = (name: string, store: Store, concurrency: number) => ({
  name: `${name}, ${concurrency} concurrent`,
  run: async (count: number) => {
    let left = count
    const work = async (): Promise<void> => {
      while (left-- > 0) await createGroup(store)
    }
    await Promise.all(Array.from({ length: concurrency }, work))
  },
})
const appendPages = (count: number): void => {
  for (let index = 0; index < count; index++) {
    writeSync(file, page)
    fsyncSync(file)
  }
}

const concurrencies = [1, 8, 64, 256]
const contenders = [
  { name: 'append a page and fsync', run: appendPages },
  ...concurrencies.map((concurrency) => createContender('SQLite', sqlite, concurrency)),
  createContender('memory', memory, 64),
]
const measurements = await measureRounds(contenders, { rounds: 15, count: 1_000 })
const [fsync, ...others] = measurements
const rates = Object.fromEntries(
  others.map((each) => [
    each.name,
    {
      'creates per second': Math.round(1e9 / each.median),
      'in fsyncs of this disk': fsync ? Number(medianRatio(each, fsync).toFixed(2)) : Number.NaN,
    },
  ]),
)
report('Create a group with its event and delivery, durably', 'sqlite-create', measurements, { rates })
console.table(rates)
closeSync(file)
await sqlite.close()
rmSync(folder, { recursive: true })
