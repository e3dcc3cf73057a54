import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { root } from './src/compare.ts'
import { countWorkload } from './src/counts.ts'
import { measure } from './src/measure.ts'
import { publish } from './src/result.ts'

const wrapInTimer = (code: string): string => `
  const [begin, used] = [performance.now(), process.cpuUsage()]
  ${code}
  const [end, { user, system }] = [performance.now(), process.cpuUsage(used)]
  console.log(JSON.stringify({ time: (end - begin) * 1_000, cpu: user + system }))
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

const floor = 'msw alone, two handlers'
const rows = await measure(
  Object.entries(contenders).map(([name, code]) => ({
    name,
    floor: name === floor ? undefined : floor,
    run: async () => {
      const options = ['--conditions=@wabakit/source', '--input-type=module', '--eval', code]
      const { stdout } = await promisify(execFile)(process.execPath, options, { cwd: import.meta.dirname })
      return JSON.parse(stdout)
    },
  })),
  { rounds: 15, warmUpRounds: 1, count: 1 },
)
publish({
  name: 'mock-start',
  title: 'Starting the mock',
  about: `The time from the end of the import until the mock is ready, in a new process each time, because each test file
starts one. The floor is msw alone, which intercepts requests and has no service behind it.`,
  unit: 'time',
  rows,
  goals: [
    {
      id: 'P8',
      what: 'kB allocated until the mock has responded once',
      result: countWorkload(root, 'P8 start the mock, until its first response').bytes / 1_000,
      limit: { atMost: 1_000 },
    },
  ],
})
