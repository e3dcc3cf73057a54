import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { median } from './src/measurement.ts'
import { writeResult } from './src/report.ts'

// Time from the end of the import until the mock is ready, in a new process each time, because each test file starts one.
// msw alone only intercepts requests, without a service behind them: it shows what users are used to.
const wrapInTimer = (code: string): string => `
  const [begin, used] = [performance.now(), process.cpuUsage()]
  ${code}
  const [end, { user, system }] = [performance.now(), process.cpuUsage(used)]
  console.log(JSON.stringify([end - begin, (user + system) / 1_000]))
  process.exit()
`
const contenders: Record<string, string> = {
  'wabakit mock, in process': `
    import { createMock } from '@wabakit/mock'
    ${wrapInTimer('const mock = await createMock()')}`,
  'wabakit mock, until its first response': `
    import { createMock } from '@wabakit/mock'
    ${wrapInTimer("const mock = await createMock(); await mock.fetch(mock.url + '/v1/call/ai-summary?callId=x')")}`,
  'wabakit mock, on a port': `
    import { createMock } from '@wabakit/mock'
    ${wrapInTimer('const mock = await createMock({ port: 0 })')}`,
  'wabakit mock, a thousand tenants': `
    import { createMock } from '@wabakit/mock'
    ${wrapInTimer('const mock = await createMock(); for (let n = 0; n < 1_000; n++) mock.tenant()')}`,
  'msw alone, two handlers': `
    import { http, HttpResponse } from 'msw'
    import { setupServer } from 'msw/node'
    ${wrapInTimer(`const server = setupServer(
      http.post('https://api.example.com/whatsapp/wa-group/create', () => HttpResponse.json({})),
      http.get('https://api.example.com/v1/call/ai-summary', () => HttpResponse.json({})),
    )
    server.listen()`)}`,
}

type Sample = readonly [elapsed: number, cpu: number]

const rounds = 20
const samples = new Map(Object.keys(contenders).map((name) => [name, [] as Sample[]]))
for (let round = 0; round < rounds; round++) {
  for (const [name, code] of Object.entries(contenders).sort(() => Math.random() - 0.5)) {
    const options = ['--conditions=@wabakit/source', '--input-type=module', '--eval', code]
    const { stdout } = await promisify(execFile)(process.execPath, options, { cwd: import.meta.dirname })
    samples.get(name)?.push(JSON.parse(stdout))
  }
}

const results = [...samples].map(([name, figures]) => {
  const elapsed = figures.map(([ms]) => ms).sort((a, b) => a - b)
  const cpu = median(figures.map(([, ms]) => ms))
  return {
    name,
    median: median(elapsed),
    cpu,
    fastest: elapsed[0] ?? Number.NaN,
    slowest: elapsed.at(-1) ?? Number.NaN,
  }
})
console.log(
  `\nStart of the mock after its import, in ${rounds} new processes each, in milliseconds (goal: at most 5).`,
)
console.log('"cpu" is the median CPU time, which does not depend on other processes.')
console.table(
  Object.fromEntries(
    results.map(({ name, ...figures }) => [
      name,
      Object.fromEntries(Object.entries(figures).map(([figure, ms]) => [figure, Number(ms.toFixed(2))])),
    ]),
  ),
)
writeResult('mock-start', { title: 'Start of the mock after its import', rounds, unit: 'ms', results })
