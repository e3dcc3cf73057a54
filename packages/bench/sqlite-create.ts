import { closeSync, fsyncSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { memoryStore, type Store } from '@wabakit/core'
import { sqliteStore } from '@wabakit/server'
import { measureRounds, medianRatio, report } from './src/rounds.ts'

// Creates of a group with its event and one delivery, in process, each acknowledged when it is on the disk: one after
// the other, and so many at the same time. Beside it what the disk itself takes to keep an appended page.
//
//   node --conditions=@wabakit/source packages/bench/sqlite-create.ts
const folder = mkdtempSync(join(tmpdir(), 'wabakit-create-'))
const now = Date.UTC(2026, 0, 1)
const digits = '15550100001'
let created = 0

const create = (store: Store): Promise<unknown> => {
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

const prepare = async (store: Store): Promise<Store> => {
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
    disabledReason: null,
    failingSince: null,
    createdAt: now,
    updatedAt: now,
  })
  return store
}

const sqlite = await prepare(sqliteStore({ path: join(folder, 'wabakit.db') }))
const memory = await prepare(memoryStore())
const file = openSync(join(folder, 'pages'), 'w')
const page = Buffer.alloc(4_096)

const creator = (name: string, store: Store, width: number) => ({
  name: `${name}, ${width} at a time`,
  run: async (count: number) => {
    let left = count
    const work = async (): Promise<void> => {
      while (left-- > 0) await create(store)
    }
    await Promise.all(Array.from({ length: width }, work))
  },
})
const appendPages = (count: number): void => {
  for (let index = 0; index < count; index++) {
    writeSync(file, page)
    fsyncSync(file)
  }
}

const widths = [1, 8, 64, 256]
const contenders = [
  { name: 'append a page and fsync', run: appendPages },
  ...widths.map((width) => creator('SQLite', sqlite, width)),
  creator('memory', memory, 64),
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
