import { createServer } from 'node:http'
import { type Operation, operations } from '@wabakit/core/control'
import type { Option } from 'commander'
import { expect, onTestFinished, test, vi } from 'vitest'
import { findOperation, listFieldOptions, listPathParameters } from '../../src/cli/operation-options.ts'
import { runProgram } from '../../src/cli/program.ts'
import { resources } from '../../src/cli/resources.ts'
import { type RunningServer, startServer } from '../../src/index.ts'
import { listenOnFreePort } from '../listen-on-free-port.ts'
import { wabakitHere as wabakit } from './wabakit.ts'

const start = async (config: object = {}): Promise<RunningServer> => {
  const server = await startServer({ port: 0, database: ':memory:', logLevel: 'silent', ...config })
  onTestFinished(server.close)
  return server
}

/** Runs commands against a server in this process. */
const at =
  ({ url }: Pick<RunningServer, 'url'>) =>
  async (line: string, ...more: string[]): Promise<string> => {
    const printed: string[] = []
    const write = vi.spyOn(process.stdout, 'write').mockImplementation((chunk) => {
      printed.push(String(chunk))
      return true
    })
    try {
      const args = [...line.split(' '), ...more, '--server', url]
      await runProgram(args)
    } finally {
      write.mockRestore()
    }
    return printed.join('')
  }

const parseLines = (text: string) =>
  text
    .trim()
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line))

test('every command of a resource is an operation of the control API, with examples', () => {
  const ids = operations.map(({ id }) => id)
  for (const commands of Object.values(resources)) {
    for (const { operation, examples } of Object.values(commands)) {
      expect(ids).toContain(operation)
      expect(examples.length).toBeGreaterThan(0)
    }
  }
})

test('the URL of --server may end in a slash', async () => {
  const { url } = await start({ sandbox: true })
  const printed = await at({ url })('org list --format json')
  expect(parseLines(printed)).not.toEqual([])
  expect(await at({ url: `${url}/` })('org list --format json')).toBe(printed)
})

type Recorded = {
  readonly line: string
  readonly query: Readonly<Record<string, string>>
  readonly body: unknown
}

/** Starts a server that records the requests of commands. Returns them, and a function that runs a command. */
const record = async (answer: (request: Recorded) => object) => {
  const requests: Recorded[] = []
  const recorder = createServer(async (request, response) => {
    let text = ''
    for await (const chunk of request) text += chunk
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://localhost')
    const query = Object.fromEntries(searchParams)
    const body = text === '' ? undefined : JSON.parse(text)
    const recorded = { line: `${request.method} ${pathname}`, query, body }
    requests.push(recorded)
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(answer(recorded)))
  })
  const url = await listenOnFreePort(recorder)
  const run = at({ url })
  return { requests, run }
}

/** Returns arguments that give an option a value of its own, and the value in the request. */
const give = ({ long, flags, argChoices }: Option, index: number): [args: string[], value: unknown] => {
  const [name, kind] = [long ?? '', /[<[].+$/.exec(flags)?.[0]]
  if (argChoices !== undefined) return [[name, argChoices[0] ?? ''], argChoices[0]]
  if (kind === undefined) return [[name], true]
  if (kind === '[boolean]') return [[name, 'false'], false]
  if (kind === '<number>') return [[name, `${index + 1}`], index + 1]
  if (kind === '<time>') return [[name, `2026-01-${index + 10}`], `2026-01-${index + 10}T00:00:00.000Z`]
  if (kind === '<values>')
    return [
      [name, `${name},b`],
      [name, 'b'],
    ]
  return [[name, `of ${name}`], `of ${name}`]
}

/** Gives every option of an operation a value, except these. */
const giveAll = (operation: Operation, except: readonly string[] = ['organization']) => {
  const options = listFieldOptions(operation).options.filter(({ field }) => !except.includes(field))
  const given = options.map(({ field, option }, index) => ({ field, given: give(option, index) }))
  return {
    args: given.flatMap(({ given: [args] }) => args),
    values: Object.fromEntries(given.map(({ field, given: [, value] }) => [field, value])),
  }
}

const toTexts = (values: Readonly<Record<string, unknown>>) =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [name, String(value)]))

test('every option of every command of a resource reaches the request of its operation', async () => {
  const { requests, run } = await record(() => ({ items: [{ id: 'x', url: 'http://x' }] }))
  for (const [resource, commands] of Object.entries(resources)) {
    for (const [name, entry] of Object.entries(commands)) {
      const operation = findOperation(entry.operation)
      const { method, path, query, body } = operation
      const parameters = listPathParameters(operation)
      const { args, values } = giveAll(operation)
      const ids = parameters.map((parameter) => `the/${parameter}`)
      const more = ['--organization', 'acme', ...(method === 'DELETE' && name !== 'clear' ? ['--yes'] : [])]
      // Most responses have another form than these, and are refused.
      await run(`${resource} ${name}`, ...ids, ...args, ...more).catch(() => {})
      const scope = listFieldOptions({ ...operation, body: undefined }).options.some(
        ({ field }) => field === 'organization',
      )
      const [first] = requests.splice(0)
      expect(first, `${resource} ${name}`).toEqual({
        line: `${method} /_wabakit${path.replaceAll(/:(\w+)/g, (_, each) => (each === 'organizationId' ? 'acme' : `the%2F${each}`))}`,
        query: {
          ...(scope && { organization: 'acme' }),
          ...(entry.columns && { limit: query === undefined ? '1000' : '50' }),
          ...(method === 'GET' && toTexts(values)),
        },
        body: body === undefined || method === 'GET' ? undefined : values,
      })
    }
  }
})

test('a list without options asks for 50 records, and of events and deliveries for the newest', async () => {
  const { requests, run } = await record(() => ({ items: [] }))
  const lists = Object.entries(resources).filter(([, { list }]) => list !== undefined)
  for (const [resource] of lists) await run(`${resource} list`)
  const complete = { limit: '1000' }
  const newest = { limit: '50', order: 'newest_first' }
  expect(Object.fromEntries(requests.map(({ query }, index) => [lists[index]?.[0], query]))).toEqual({
    ...{ org: { limit: '50' }, number: complete, key: complete, subscription: { limit: '50' } },
    ...{ events: newest, deliveries: newest, calls: { limit: '50' }, groups: { limit: '50' } },
    ...{ requests: { limit: '50' }, faults: { limit: '50' } },
  })
})

test('a list longer than a page is read page by page, with the same filters', async () => {
  const { requests, run } = await record(({ query }) => ({
    items: Array.from({ length: Number(query.limit) }, () => ({
      ...{ id: query.cursor ?? 'first', name: 'A', subject: 'call:1', channel: 'PSTN', payload: '{}' },
      occurredAt: '2026-01-05T10:00:00.000Z',
    })),
    nextCursor: `after ${query.cursor ?? 'first'}`,
  }))
  const printed = parseLines(await run('events list --name A --limit 2500 --format json'))
  expect(
    Object.entries(Object.groupBy(printed, ({ id }) => id)).map(([id, all]) => [id, all?.length]),
  ).toEqual([
    ['first', 1_000],
    ['after first', 1_000],
    ['after after first', 500],
  ])
  const filters = { name: 'A', order: 'newest_first' }
  expect(requests.map(({ query }) => query)).toEqual([
    { ...filters, limit: '1000' },
    { ...filters, limit: '1000', cursor: 'after first' },
    { ...filters, limit: '500', cursor: 'after after first' },
  ])
})

test('every option of a change to many deliveries reaches each of its requests', async () => {
  for (const [name, operation, counts, more] of [
    ['resend', 'resendDeliveries', 'resent', { newWebhookId: true }],
    ['retry', 'retryDeliveries', 'retried', {}],
    ['cancel', 'cancelDeliveries', 'canceled', {}],
  ] as const) {
    const { requests, run } = await record(({ body }) => {
      const { cursor } = Object(body)
      return { [counts]: 2, ...(cursor === undefined && { nextCursor: 'c1' }) }
    })
    const { args, values } = giveAll(findOperation(operation), ['dryRun', 'newWebhookId'])
    const flags = ['--dry-run', ...('newWebhookId' in more ? ['--new-webhook-id'] : [])]
    const found = await run(`deliveries ${name} --organization acme --format json`, ...args, ...flags)
    expect(parseLines(found)).toEqual([{ [counts]: 4, dryRun: true }])
    expect(requests).toEqual(
      [undefined, 'c1'].map((cursor) => ({
        line: `POST /_wabakit/organizations/acme/deliveries/${name}`,
        query: {},
        body: { ...values, ...more, dryRun: true, cursor },
      })),
    )
  }
})

test('manages organizations, numbers, keys and subscriptions', async () => {
  const run = at(await start())

  await run(
    'org create --id acme --pstn-numbers +15550100002',
    '--set',
    'integrations=[{"wabaNumber":"+15550100001"}]',
  )
  expect(await run('org list')).toMatch(
    /^ID +CALL SUMMARIES +CREATED AT +WABA NUMBER +PSTN NUMBERS\n(.*\n)*acme +automatic +\S+Z +\+15550100001 +\+15550100002$/m,
  )
  expect(await run('org update --organization acme --call-summaries manual')).toMatch(
    /^callSummaries +manual$/m,
  )
  expect(await run('org show --organization acme')).toMatch(/^id +acme$/m)

  await run('number create --channel WHATSAPP --number +15550100003 --organization acme')
  await run('number create --channel PSTN --number +15550100004 --organization acme')
  await run('number update WHATSAPP +15550100003 --enabled false --organization acme')
  expect(await run('number remove PSTN +15550100004 --dry-run --organization acme')).toBe(
    'would remove PSTN +15550100004\n',
  )
  await expect(run('number remove PSTN +15550100004 --organization acme')).rejects.toThrow('Add --yes')
  await run('number remove PSTN +15550100004 --organization acme --yes')
  expect(parseLines(await run('number list --organization acme --format json'))).toEqual([
    expect.objectContaining({ number: '+15550100001', channel: 'WHATSAPP', enabled: true }),
    expect.objectContaining({ number: '+15550100003', enabled: false }),
    { number: '+15550100002', channel: 'PSTN' },
  ])
  expect(await run('number show WHATSAPP 15550100003 --organization acme')).toMatch(/^enabled +false$/m)

  expect(await run('key create --label shop --organization acme')).toMatch(/^wk_\w+\n$/)
  const [key] = parseLines(await run('key list --organization acme --format json'))
  expect(key).toMatchObject({ label: 'shop' })
  expect(await run(`key remove ${key.id} --dry-run --organization acme`)).toBe(`would remove ${key.id}\n`)
  await expect(run(`key remove ${key.id} --organization acme`)).rejects.toThrow('Add --yes')
  await run(`key remove ${key.id} --organization acme --yes`)
  expect(await run('key list --organization acme')).toBe('none\n')

  await run(
    'subscription create --channel PSTN --number +15550100002 --url http://127.0.0.1:9/ --organization acme',
  )
  const [subscription] = parseLines(await run('subscription list --organization acme --format json'))
  const { id } = subscription
  expect(await run(`subscription update ${id} --enabled false --organization acme`)).toMatch(
    /^enabled +false$/m,
  )
  expect(await run(`subscription rotate-secret ${id} --organization acme`)).toMatch(/^whsec_\S+\n$/)
  expect(await run(`subscription remove ${id} --dry-run --organization acme`)).toBe(`would remove ${id}\n`)
  await run(`subscription remove ${id} --organization acme --yes`)
  expect(await run('subscription list --organization acme')).toBe('none\n')
  expect(await run('org remove --organization acme --yes')).toBe('removed acme\n')
})

test('a missing or wrong control token names its variable', async () => {
  const run = at(await start({ controlToken: 'a-token-of-the-control-api' }))
  await expect(run('org list')).rejects.toMatchObject({
    message: expect.stringMatching(/asks for its control token\. Set WABAKIT_CONTROL_TOKEN/),
    exitCode: 2,
  })
  await expect(run('org list --control-token another-token-of-16')).rejects.toMatchObject({
    message: expect.stringMatching(/has another control token\. Check WABAKIT_CONTROL_TOKEN/),
    exitCode: 2,
  })
  expect(await run('org list --control-token a-token-of-the-control-api')).toContain('demo')
})

test('deliveries are listed with their response, customer and endpoint first, and as they are in JSON', async () => {
  const server = await start()
  const run = at(server)
  await run(
    'subscription create --channel PSTN --number +15550100002 --url http://127.0.0.1:9/hooks?token=s3cret',
  )
  await run('trigger call --customer-number +15550199001')
  await server.service.dispatcher.runDue()
  const list = await run('deliveries list')
  expect(list).toMatch(/^STATUS +RESPONSE +EVENT +ABOUT +ENDPOINT +ID +ATTEMPTS +CREATED AT +DUE AT\n/)
  expect(list).toMatch(
    /^pending +ECONNREFUSED +CALL_INCOMING_INITIATED +\+15550199001 +127\.0\.0\.1:9\/hooks\?… +dlv_\S+ +1 /m,
  )
  expect(list).toMatch(/^waiting +- +CALL_ENDED /m)
  vi.stubEnv('COLUMNS', '80')
  onTestFinished(() => void vi.unstubAllEnvs())
  for (const command of ['deliveries list', 'overview'])
    for (const line of (await run(command)).trimEnd().split('\n')) expect(line.length).toBeLessThanOrEqual(80)
  expect(await run('deliveries list')).toMatch(/^STATUS +RESPONSE +EVENT +ABOUT +ENDPOINT/)
  expect(await run('overview')).toMatch(/^STATE .* ENDPOINT\n/)
  expect(parseLines(await run('deliveries list --limit 1 --format json'))).toEqual([
    expect.objectContaining({ eventName: expect.any(String), customerNumber: '+15550199001' }),
  ])
})

test.each([
  ['org remove', 'Name the organization that is removed, with everything that it owns: --organization demo'],
  ['org update', 'Nothing to change. See the options of this command.'],
  ['number update WHATSAPP +15550100001', 'Nothing to change. See the options of this command.'],
  ['number update PSTN +15550100002 --enabled false', /Only WhatsApp numbers have settings/],
  [
    'number create --channel PSTN --number +15550100005 --enabled false',
    /Only WhatsApp numbers have settings/,
  ],
  [
    'number create --channel WHATSAPP --number 15550100001',
    'The organization already has the WHATSAPP number 15550100001.',
  ],
  ['key remove nope --dry-run', 'There is no key "nope".'],
  [
    'deliveries list --status lost',
    /^--status must be waiting, pending.*\n\(see wabakit deliveries list --help\)$/,
  ],
  ['deliveries list --limit 0', /^--limit must be at least 1\n/],
  ['deliveries list --name CALL_VANISHED', /^There is no event "CALL_VANISHED"/],
  ['deliveries list --subscription sub_none', /There is no subscription "sub_none"/],
  ['deliveries resend --subscription sub_none', /There is no subscription "sub_none"/],
  ['customers show nobody', /^<number> must be a phone number/],
  ['trigger call --set outcome=lost', /^--set outcome must be answered, missed/],
  [
    'subscription create --channel PSTN --number +15550100002 --url http://127.0.0.1:9 --events NOPE',
    /^--events must be GROUP_CREATED, /,
  ],
  ['groups add-participant --group-id g1', /^--phone is required\n--state is required\n/],
])('%s is refused, and says what to do', async (line, message) => {
  const run = at(await start())
  await expect(run(line)).rejects.toThrow(message)
})

test('reports a port blocked by the Fetch standard as the cause', async () => {
  const run = at({ url: 'http://127.0.0.1:4190' })
  await expect(run('org list')).rejects.toThrow(
    'Cannot reach a server at http://127.0.0.1:4190: browsers and fetch block this port, so choose another one. Start one with: wabakit serve --port 4100',
  )
})

test('finds records by a text, and shows what is stored about a customer', async () => {
  const server = await start()
  const run = at(server)
  await run('subscription create --channel PSTN --number +15550100002 --url http://127.0.0.1:9/')
  await run('trigger call --set callId=c1 --customer-number +15550199001')
  expect(await run('calls list')).toMatch(/\nended +.* c1 .* \+15550199001 /)
  expect(await run('search c1')).toMatch(/^KIND +ID +AT +LABEL\ncall +c1 /)
  expect(await run('search nothing')).toBe('none\n')
  expect(parseLines(await run('search c1 --limit 1 --format json'))).toMatchObject([
    { kind: 'call', id: 'c1', exact: true },
  ])
  expect(await run('customers show 15550199001')).toMatch(
    /^Calls\nSTATE +CALL ID .*\nended +c1 .*\n\nc1\n +127\.0\.0\.1:9\/ .*\n\nGroups\nnone\n\nDeliveries\nSTATUS .*\n.*CALL_/,
  )
  expect(parseLines(await run('customers show +15550199001 --format json'))).toMatchObject([
    { calls: [{ callId: 'c1' }] },
  ])
  await expect(run('customers show +15550199002')).rejects.toThrow('(404)')
  await expect(run('trigger CALL_ENDED --customer-number +15550199002')).rejects.toThrow(
    '--customer-number is for call',
  )
})

test('searches with the limit that the help states', async () => {
  const { requests, run } = await record(() => ({ items: [] }))
  await run('search c1')
  expect(requests).toMatchObject([{ query: { text: 'c1', limit: '50' } }])
})

test('lists calls, groups, events and requests, and shows what happened to a call', async () => {
  const server = await start()
  const run = at(server)
  await run('trigger call --set callId=c1')
  await server.service.groups.create('demo', {
    wabaNumber: '+15550100001',
    subject: 'Order 1042',
    groupId: 'g1',
  })
  await run('groups add-participant --group-id g1 --phone +15550199001 --state joined')

  expect(await run('calls list')).toMatch(/^STATE +SUMMARY ARRIVAL +CALL ID .*\nended +.* c1 /)
  expect(await run('groups list --text order')).toMatch(/^GROUP ID +MEMBERS .*\ng1 +\d+ /)
  expect(await run('groups show g1')).toContain('GROUP_PARTICIPANT_JOINED')
  expect(await run('events list --call c1 --name CALL_ENDED')).toMatch(/CALL_ENDED/)
  expect(parseLines(await run('events list --call c1 --limit 2 --format json'))).toHaveLength(2)
  await expect(run('events list --subscription sub_none')).rejects.toThrow('There is no subscription')
  expect(await run('requests list')).toBe('none\n')
  const timeline = await run('calls show c1')
  expect(timeline).toMatch(/^The summary exists\. No subscription matched its event\.\n\n/)
  expect(timeline.match(/(?:state|event) +\S+/g)).toEqual(
    expect.arrayContaining(['state     initiated', 'state     summarized', 'event     CALL_ENDED']),
  )
})

test('the list of calls says how many endpoints have a summary, if only some of them do', async () => {
  const call = {
    ...{
      callId: 'c1',
      state: 'ended',
      channel: 'PSTN',
      direction: 'INCOMING',
      callType: 'AGENT',
      triggeredVia: 'UI',
    },
    ...{
      channelNumber: '+15550100002',
      customerNumber: '+15550199001',
      agentNumber: null,
      publishesEvents: true,
    },
    ...{ initiatedAt: '2026-01-05T10:00:00.000Z', startedAt: null, endedAt: null, durationInSeconds: null },
    ...{ recorded: null, spoken: null, summary: null, summaryArrival: 'not_delivered', summaryEndpoints: 4 },
  }
  const { run } = await record(() => ({
    items: [4, 2].map((summaryMissing) => ({ ...call, summaryMissing })),
  }))
  expect(await run('calls list')).toMatch(/^STATE .*\nended +not_delivered +c1 .*\nended +at 2 of 4 +c1 /)
  expect(parseLines(await run('calls list --format json'))[1]).toMatchObject({
    summaryArrival: 'not_delivered',
  })
})

test('cancels and resends one delivery or all matching ones, and counts them first', async () => {
  const server = await start()
  const run = at(server)
  await run('subscription create --channel PSTN --number +15550100002 --url http://127.0.0.1:9/')
  await run('trigger call --set callId=c1')
  await server.service.dispatcher.runDue()
  const [{ id }] = parseLines(await run('deliveries list --status pending --format json'))
  const all = (await server.service.deliveries.list('demo')).items.length

  const [waiting] = parseLines(await run('deliveries list --status waiting --format json'))
  const pending = parseLines(await run('deliveries list --status pending --format json')).length
  expect(await run(`deliveries retry ${id} --dry-run`)).toBe('1 delivery would be retried now\n')
  expect(await run(`deliveries retry ${waiting.id} --dry-run`)).toBe('0 deliveries would be retried now\n')
  await expect(run(`deliveries retry ${waiting.id}`)).rejects.toThrow(
    'The delivery is waiting; it must be pending.',
  )
  await expect(run('deliveries retry')).rejects.toThrow('Name one delivery, or select deliveries')
  const counted = `${pending} ${pending === 1 ? 'delivery' : 'deliveries'}`
  expect(await run('deliveries retry --call c1 --dry-run')).toMatch(`${counted} would be retried now\n`)
  expect(await run('deliveries retry --all')).toMatch(new RegExp(`^${counted} (?:is|are) retried now\n$`))
  await server.service.dispatcher.runDue()
  expect(parseLines(await run('deliveries list --status pending --format json'))).toMatchObject([
    { attempts: 2 },
  ])

  for (const each of [id, waiting.id]) {
    expect(await run(`deliveries cancel ${each} --dry-run`)).toBe('1 delivery would be canceled\n')
  }
  expect(await run('deliveries cancel --call c1 --dry-run')).toBe(`${all} deliveries would be canceled\n`)
  expect(await run(`deliveries cancel ${id}`)).toBe('1 delivery is canceled\n')
  // The next delivery is attempted at once. Meanwhile, its status is neither of those below.
  await server.service.dispatcher.runDue()
  expect(await run('deliveries cancel --call c1 --status pending,waiting')).toBe(
    `${all - 1} deliveries are canceled\n`,
  )
  expect(await run('deliveries cancel --call c1')).toBe('0 deliveries are canceled\n')
  expect(await run(`deliveries show ${id}`)).toMatch(/remedy: .* Then resend\.\n/)
  await expect(run(`deliveries retry ${id}`)).rejects.toThrow(
    'The delivery is skipped; it must be pending. Resend it instead.',
  )
  expect(await run('deliveries resend --status skipped,exhausted --dry-run')).toBe(
    `${all} deliveries would be resent\n`,
  )
  expect(parseLines(await run('deliveries list --status skipped --format json'))).toHaveLength(all)
  expect(await run(`deliveries resend ${id} --dry-run`)).toBe('1 delivery would be resent\n')
  expect(await run(`deliveries resend ${id}`)).toBe('1 delivery is resent\n')
})

test('sends a field that may be a number or null as a number', async () => {
  const run = at(await start())
  const create = 'subscription create --channel PSTN --number +15550100002 --url http://127.0.0.1:9/'
  expect(await run(`${create} --max-attempts-per-second 5`)).toMatch(/^maxAttemptsPerSecond +5$/m)
  const [{ id }] = parseLines(await run('subscription list --format json'))
  const update = `subscription update ${id}`
  expect(await run(`${update} --max-attempts-per-second 0.5`)).toMatch(/^maxAttemptsPerSecond +0\.5$/m)
  expect(await run(`${update} --set maxAttemptsPerSecond=null`)).toMatch(/^maxAttemptsPerSecond +-$/m)
})

test('prints the address of the inspector', async () => {
  expect(await wabakit(['inspect', '--no-open', '--server', 'localhost:4100'])).toMatchObject({
    code: 0,
    stdout: 'http://localhost:4100/_wabakit/inspector\n',
  })
})

test('suggests a command with a similar spelling, including subcommands', async () => {
  const { code, stderr } = await wabakit(['deliverys', 'list'])
  expect([code, stderr]).toEqual([2, expect.stringContaining('Did you mean deliveries?')])
  const below = await wabakit(['deliveries', 'lits'])
  expect([below.code, below.stderr]).toEqual([2, expect.stringContaining('Did you mean list?')])
  const filter = await wabakit(['deliveries', 'list', '--statsu', 'pending'])
  expect([filter.code, filter.stderr]).toEqual([2, expect.stringContaining('Did you mean --status?')])
})

test('overview prints the state of each endpoint first, within 80 columns, and everything as JSON', async () => {
  const server = await start({ organizations: [{ id: 'acme', pstnNumbers: ['+15550100002'] }] })
  const run = at(server)
  const endpoint = createServer((request, response) => {
    response.writeHead(request.url === '/fails' ? 500 : 200).end()
  })
  const base = await listenOnFreePort(endpoint)
  for (const path of ['works', 'fails']) {
    const url = `${base}/${path}`
    await server.service.subscriptions.create('acme', { channel: 'PSTN', number: '+15550100002', url })
  }
  const attempted = new Promise<void>((resolve) => {
    const urls = new Set<string>()
    server.service.dispatcher.onAttempt(({ attempted: { subscription } }) => {
      if (urls.add(subscription.url).size === 2) resolve()
    })
  })
  await run('trigger call --organization acme --set summary=false')
  await attempted
  await server.service.figures.stop()
  const spare = { channel: 'PSTN', number: '+15550100002', url: `${base}/spare`, enabled: false } as const
  for (let count = 0; count < 25; count++) await server.service.subscriptions.create('acme', spare)

  const lines = (await run('overview --organization acme')).trimEnd().split('\n')
  expect(lines[0]).toMatch(/^STATE +SUCCESS +SENT +FAILED +P95 +BACKLOG +OLDEST +ENDPOINT$/)
  expect(lines[1]).toMatch(/^all .* 3 events$/)
  expect(lines.find((line) => line.endsWith('/works'))).toMatch(/^working +100\.0 % +[1-3] +0 /)
  expect(lines.find((line) => line.endsWith('/fails'))).toMatch(/^failing +0\.0 % +0 +1 .* 3 /)
  expect(lines.at(-1)).toBe('1 server_error: The endpoint failed while it handled the webhook.')
  for (const line of lines) expect(line.length).toBeLessThanOrEqual(80)
  const [json] = parseLines(await run('overview --organization acme --window day --format json'))
  expect(json).toMatchObject({ window: 'day', totals: { events: 3 } })
  expect(json.endpoints.map(({ window }: { window: string }) => window)).toEqual(Array(27).fill('day'))
})

test('lists fit a terminal of 80 columns, with the status first', async () => {
  const server = await start()
  const env = { WABAKIT_SERVER: server.url, COLUMNS: '80' }
  await at(server)(
    'subscription create --channel PSTN --number +15550100002 --url http://127.0.0.1:1/long/path/of/webhooks',
  )
  await at(server)('trigger call')
  const lists = ['subscription', 'calls', 'events', 'deliveries', 'org', 'key']
  const printed = await Promise.all(lists.map((name) => wabakit([name, 'list'], { env })))
  const lines = printed.flatMap(({ stdout }) => stdout.trimEnd().split('\n'))
  expect(lines.filter((line) => line.length > 80)).toEqual([])
  expect(printed.map(({ stdout }) => stdout.split(' ')[0])).toEqual([
    ...['STATE', 'STATE', 'NAME', 'STATUS', 'ID', 'ID'],
  ])
})

test('the help lists the fields that --set sets, and marks required options', async () => {
  const help = (...args: readonly string[]) => wabakit([...args, '--help'])
  const [trigger, create] = await Promise.all([help('trigger'), help('subscription', 'create')])
  expect(trigger.stdout).toMatch(/call: .*outcome/s)
  expect(trigger.stdout).toContain('GROUP_CREATED: groupId, groupName, inviteLink, groupCreatedAt')
  expect(create.stdout.replace(/\s+/g, ' ')).toContain('URL that gets the webhooks (required)')
  expect(create.stdout.replace(/\s+/g, ' ')).toContain(
    'set another field: headers, authorization (repeatable)',
  )
})
