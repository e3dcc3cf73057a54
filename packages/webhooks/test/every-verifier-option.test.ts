import { DatabaseSync } from 'node:sqlite'
import {
  basicAuth,
  bearerAuth,
  createReceiver,
  type MemoryDedupeOptions,
  memoryDedupe,
  type SqlDedupeOptions,
  type StandardWebhooksOptions,
  signWebhook,
  sqlDedupe,
  sqlDedupeTable,
  standardWebhooks,
  staticHeader,
  urlToken,
  type Verifier,
} from '@wabakit/webhooks'
import { testOptions } from '../../../tools/option-cases.ts'

const day = 86_400_000
const payload = '{"event":"CALL_ENDED","callId":"c"}'
const toSecret = (length: number, byte = 7): string =>
  `whsec_${btoa(String.fromCharCode(byte).repeat(length))}`
const [secret, other, short] = [toSecret(24), toSecret(24, 8), toSecret(16)]

/** Returns the statuses of deliveries with these headers, or this query. The status is 0 if the verifier cannot be created. */
const listStatuses = async (
  create: () => Verifier,
  requests: readonly (Record<string, string> | string)[],
) => {
  const statuses: number[] = []
  for (const request of requests) {
    try {
      const receiver = createReceiver({ verify: create() }).onAny(() => {})
      const init = {
        method: 'POST',
        body: payload,
        headers: { 'content-type': 'application/json', ...(typeof request === 'object' && request) },
      }
      const url = `http://localhost/${typeof request === 'string' ? request : ''}`
      statuses.push((await receiver.handle(new Request(url, init))).status)
    } catch {
      statuses.push(0)
    }
  }
  return statuses
}

/** Returns the headers of deliveries that were signed some seconds ago. */
const signAt = async (ages: readonly number[], usedSecret: string, now = Date.now()) =>
  Promise.all(
    ages.map(async (age) => {
      const timestamp = Math.floor(now / 1_000) - age
      return (await signWebhook({ payload, secret: usedSecret, timestamp, allowShortSecrets: true })).headers
    }),
  )

const seeAges = async (options: Partial<StandardWebhooksOptions>) =>
  listStatuses(
    () => standardWebhooks({ secrets: [secret], ...options }),
    await signAt([0, 290, 310, -310], secret),
  )

const seeSecret = (sentWith: string) => async (options: Partial<StandardWebhooksOptions>) =>
  listStatuses(() => standardWebhooks({ ...options } as StandardWebhooksOptions), await signAt([0], sentWith))

testOptions<StandardWebhooksOptions>('standardWebhooks()', {
  secrets: {
    see: seeSecret(other),
    cases: [
      [{}, [0]],
      [{ secrets: [secret] }, [401]],
      [{ secrets: [secret, other] }, [200]],
    ],
  },
  toleranceSeconds: {
    see: seeAges,
    cases: [
      [{}, [200, 200, 401, 401]],
      [{ toleranceSeconds: 1_000 }, [200, 200, 200, 200]],
      [{ toleranceSeconds: 20 }, [200, 401, 401, 401]],
    ],
  },
  allowShortSecrets: {
    see: (options) => seeSecret(short)({ secrets: [short], ...options }),
    cases: [
      [{}, [0]],
      [{ allowShortSecrets: true }, [200]],
    ],
  },
  now: {
    see: seeAges,
    cases: [
      [{}, [200, 200, 401, 401]],
      [{ now: () => Date.now() - 310_000 }, [401, 200, 200, 401]],
    ],
  },
})

type StaticHeader = Parameters<typeof staticHeader>[0]
const seeStatic = (options: Partial<StaticHeader>) =>
  listStatuses(() => staticHeader(options as StaticHeader), [{ 'x-token': 't0ken' }, { 'x-own': 'n3w' }])

testOptions<StaticHeader>('staticHeader()', {
  header: {
    see: (options) => seeStatic({ value: ['t0ken', 'n3w'], ...options }),
    cases: [
      [{}, [401, 401]],
      [{ header: 'X-Token' }, [200, 401]],
      [{ header: 'x-own' }, [401, 200]],
    ],
  },
  value: {
    see: (options) => seeStatic({ header: 'x-token', ...options }),
    cases: [
      [{}, [0, 0]],
      [{ value: 't0ken' }, [200, 401]],
      [{ value: ['n3w', 't0ken'] }, [200, 401]],
      [{ value: 'n3w' }, [401, 401]],
    ],
  },
})

type UrlToken = Parameters<typeof urlToken>[0]
const [token, newToken] = ['0123456789abcdef', 'fedcba9876543210']
const seeUrl = (options: Partial<UrlToken>) =>
  listStatuses(
    () => urlToken(options as UrlToken),
    [`?token=${token}`, `?token=${newToken}`, `?key=${token}`],
  )

testOptions<UrlToken>('urlToken()', {
  token: {
    see: seeUrl,
    cases: [
      [{}, [0, 0, 0]],
      [{ token }, [200, 401, 401]],
      [{ token: [newToken, token] }, [200, 200, 401]],
      [{ token: () => newToken }, [401, 200, 401]],
      [{ token: 'fifteen-bytes-x' }, [0, 0, 0]],
    ],
  },
  parameter: {
    see: (options) => seeUrl({ token, ...options }),
    cases: [
      [{}, [200, 401, 401]],
      [{ parameter: 'key' }, [401, 401, 200]],
      [{ parameter: 'Token' }, [401, 401, 401]],
      [{ parameter: '' }, [0, 0, 0]],
    ],
  },
})

type BearerAuth = Parameters<typeof bearerAuth>[0]
testOptions<BearerAuth>('bearerAuth()', {
  token: {
    see: (options) =>
      listStatuses(
        () => bearerAuth(options as BearerAuth),
        ['Bearer a', 'bearer b', 'a'].map((authorization) => ({ authorization })),
      ),
    cases: [
      [{}, [0, 0, 0]],
      [{ token: 'a' }, [200, 401, 401]],
      [{ token: ['a', 'b'] }, [200, 200, 401]],
    ],
  },
})

type BasicAuth = Parameters<typeof basicAuth>[0]
const seeBasic = (options: Partial<BasicAuth>) =>
  listStatuses(
    () => basicAuth(options as BasicAuth),
    ['u:p', 'u:q', 'v:p'].map((each) => ({ authorization: `Basic ${btoa(each)}` })),
  )
testOptions<BasicAuth>('basicAuth()', {
  username: {
    see: (options) => seeBasic({ password: 'p', ...options }),
    cases: [
      [{}, [0, 0, 0]],
      [{ username: 'u' }, [200, 401, 401]],
      [{ username: 'v' }, [401, 401, 200]],
    ],
  },
  password: {
    see: (options) => seeBasic({ username: 'u', ...options }),
    cases: [
      [{}, [0, 0, 0]],
      [{ password: 'p' }, [200, 401, 401]],
      [{ password: ['p', 'q'] }, [200, 200, 401]],
    ],
  },
})

/** A clock that moves by a second whenever it is read. */
const createTicks = () => {
  let time = 0
  return () => {
    time += 1_000
    return time
  }
}

testOptions<MemoryDedupeOptions>('memoryDedupe()', {
  ttlMs: {
    /** The days after which a delivery that was handled is handled again. */
    see: async (options) => {
      let time = 0
      const dedupe = memoryDedupe({ now: () => time, ...options })
      const handle = async (): Promise<boolean> => {
        const claim = await dedupe.claim('key', 1_000)
        return typeof claim === 'object' && claim.complete()
      }
      await handle()
      for (let days = 1; days < 40; days++) {
        time = days * day
        if (await handle()) return days
      }
      return undefined
    },
    cases: [
      [{}, 7],
      [{ ttlMs: 2 * day }, 2],
    ],
  },
  maxEntries: {
    /** How many of 100,002 handled deliveries are remembered. */
    see: async (options) => {
      const dedupe = memoryDedupe(options)
      for (let number = 0; number < 100_002; number++) {
        const claim = await dedupe.claim(`${number}`, 1_000)
        if (typeof claim === 'object') await claim.complete()
      }
      const seen: string[] = []
      for (const number of [1, 2, 99_998, 99_999, 100_001]) {
        const claim = await dedupe.claim(`${number}`, 1_000)
        if (claim === 'duplicate') seen.push(`${number}`)
      }
      return seen
    },
    cases: [
      [{}, ['2', '99998', '99999', '100001']],
      [{ maxEntries: 3 }, ['99999', '100001']],
    ],
  },
  now: {
    see: async (options) => {
      const dedupe = memoryDedupe({ ttlMs: 50, ...options })
      const first = await dedupe.claim('key', 1_000)
      if (typeof first === 'object') await first.complete()
      return typeof (await dedupe.claim('key', 1_000))
    },
    cases: [
      [{}, 'string'],
      [{ now: createTicks() }, 'object'],
    ],
  },
})

/** Remembers a delivery, and returns the table that has it, and for how many days. */
const seeRows = async (options: SqlDedupeOptions) => {
  const database = new DatabaseSync(':memory:')
  const sqlite = { dialect: 'sqlite' } as const
  for (const table of [undefined, 'own']) database.exec(sqlDedupeTable({ table, ...sqlite }))
  const dedupe = sqlDedupe(database, { ...sqlite, ...options })
  const claim = await dedupe.claim('key', 1_000)
  if (typeof claim === 'object') await claim.complete()
  const read = (table: string) =>
    database
      .prepare(`SELECT expires_at FROM ${table}`)
      .all()
      .map((row) => [table, Math.round((Number(row.expires_at) - Date.now()) / day)])
  return [...read('wabakit_webhook_deliveries'), ...read('own')]
}

testOptions<SqlDedupeOptions>('sqlDedupe()', {
  table: {
    see: seeRows,
    cases: [
      [{}, [['wabakit_webhook_deliveries', 7]]],
      [{ table: 'own' }, [['own', 7]]],
    ],
  },
  ttlMs: {
    see: seeRows,
    cases: [
      [{}, [['wabakit_webhook_deliveries', 7]]],
      [{ ttlMs: 2 * day }, [['wabakit_webhook_deliveries', 2]]],
    ],
  },
  dialect: {
    /** Whether the statements read the clock of PostgreSQL. */
    see: async (options) => {
      const texts: string[] = []
      const run = async (text: string) => {
        texts.push(text)
        return { rows: [], rowCount: 1 }
      }
      await Promise.resolve(sqlDedupe(run, options).claim('key', 1_000)).catch(() => {})
      return texts.some((text) => text.includes('clock_timestamp()') || text.includes('now()'))
    },
    cases: [
      [{}, true],
      [{ dialect: 'sqlite' }, false],
    ],
  },
})
