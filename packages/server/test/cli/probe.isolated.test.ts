import { existsSync, readFileSync, realpathSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import {
  pstnCall,
  serviceKey,
  services,
  startService,
  subject,
  wabaNumber,
  whatsAppCall,
} from '../probe/services.ts'
import { folder, wabakit, wabakitHere } from './wabakit.ts'

const findService = (words: string) => {
  const found = services.find(({ differs }) => differs.includes(words))
  if (found === undefined) throw new Error(`no service differs ${words}`)
  return found
}

const readProfile = (name: string) => JSON.parse(readFileSync(join(folder, name), 'utf8'))

const probe = (url: string, file: string, ...flags: string[]) =>
  wabakitHere(['probe', url, '--interval', '0', '--profile', file, ...flags], {
    env: { WABAKIT_API_KEY: serviceKey },
  })

const calls = ['--pstn-call', pstnCall, '--whatsapp-call', whatsAppCall]
const group = ['--create-group', '--subject', subject, '--waba-number', wabaNumber]

test('probe prints each answer beside the specification and the profile live, and writes what exec --mock plays', async () => {
  await using service = await startService(findService('in the record'))
  const first = await probe(service.url, 'record.profile.json', ...calls, ...group, '--yes', '--wrong-key')
  expect(first).toMatchObject({ code: 0 })
  expect(first.stdout).toContain(
    [
      'What is the summary of a WhatsApp call? fetch.summary.WHATSAPP',
      '  seen           200 JSON recap, keyPoints (array), nextSteps (array)',
      '  specification  not shown',
      '  live           404',
    ].join('\n'),
  )
  expect(service.received.at(-1)).toBe('GET /v1/call/ai-summary')
  const again = await probe(service.url, 'record.profile.json', '--format', 'json')
  expect(again).toMatchObject({ code: 0 })
  const { api } = readProfile('record.profile.json')
  expect(api['fetch.missing-key'].values).toMatchObject([{ source: 'probe', count: 2 }])
  expect(api['create.response'].values).toMatchObject([{ value: { status: 200 }, count: 1 }])
  for (const text of [first.stdout, first.stderr, JSON.stringify(api)])
    for (const secret of [serviceKey, 'Private words', pstnCall]) expect(text).not.toContain(secret)

  const script = `fetch(process.env.WABAKIT_BASE_URL + '/whatsapp/wa-group/create').then(({ status }) => console.log(status, process.env.WABAKIT_PROFILE))`
  const played = await wabakit([
    'exec',
    '--mock',
    '--profile',
    'record.profile.json',
    '--',
    process.execPath,
    '-e',
    script,
  ])
  expect(played).toMatchObject({ code: 0, stdout: `404 ${realpathSync(folder)}/record.profile.json\n` })
  const served = await wabakitHere(['serve', '--sandbox', '--port', '0', '--profile', 'record.profile.json'])
  expect(served).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('can only be a file with exec --mock'),
  })

  await using other = await startService(findService('in front of it'))
  const same = await probe(service.url, 'record.profile.json', '--check', ...calls)
  expect(same).toMatchObject({
    code: 0,
    stderr: expect.stringContaining('no other answers than in record.profile.json'),
  })
  const changed = await probe(other.url, 'record.profile.json', '--check')
  expect(changed).toMatchObject({ code: 1 })
  expect(changed.stderr).toContain(
    'Other answers than in record.profile.json: fetch.missing-call-id, unknown-path, wrong-method.',
  )
  expect(readProfile('record.profile.json').api).toEqual(api)
})

test('probe creates nothing without a confirmation, and writes nothing that it has not seen', async () => {
  await using service = await startService(findService('in everything'))
  const refused = await probe(service.url, 'none.json', ...group)
  expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining('Add --yes') })
  const incomplete = await probe(service.url, 'none.json', '--create-group', '--yes')
  expect(incomplete).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('--create-group needs --subject'),
  })
  expect(service.received).toEqual([])
  const wrongUrl = await probe(service.url, 'none.json', ...group, '--yes')
  expect(wrongUrl).toMatchObject({ code: 1, stderr: expect.stringContaining('is the base URL right?') })
  expect(service.received.filter((each) => !each.startsWith('GET '))).toEqual([])
  const [unreachable, plain, missing] = await Promise.all([
    probe('http://127.0.0.1:9', 'none.json'),
    probe('http://api.example.com', 'none.json'),
    probe(service.url, 'none.json', '--check'),
  ])
  expect(unreachable).toMatchObject({ code: 3, stderr: expect.stringContaining('cannot be reached') })
  expect(plain).toMatchObject({ code: 2, stderr: expect.stringContaining('Use https') })
  expect(missing).toMatchObject({ code: 2, stderr: expect.stringContaining('There is no none.json') })
  expect(existsSync(join(folder, 'none.json'))).toBe(false)
  writeFileSync(
    join(folder, 'wrong.json'),
    '{"version":1,"api":{"fetch.nothing":{"values":[]}},"deliveries":{},"events":{}}',
  )
  const wrong = await probe(service.url, 'wrong.json')
  expect(wrong).toMatchObject({
    code: 2,
    stderr: expect.stringMatching(/wrong\.json is not valid: .*fetch\.nothing/),
  })
})
