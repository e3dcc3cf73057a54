import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { frameworks } from '../../src/cli/init/frameworks.ts'
import { planFiles } from '../../src/cli/init/plan-files.ts'
import { folder, wabakit } from './wabakit.ts'

const createProject = (name: string, dependencies: Readonly<Record<string, string>>): string => {
  const path = join(folder, name)
  mkdirSync(path)
  writeFileSync(join(path, 'package.json'), JSON.stringify({ dependencies }))
  return path
}

test.each(frameworks.map(({ name, dependency }) => [name, dependency] as const))(
  'plans a receiver, a test and the variables for %s',
  (name, dependency) => {
    const path = createProject(name, { [dependency]: '*' })
    const { framework, files } = planFiles(path)
    expect(framework.name).toBe(name)
    expect(files.map((file) => file.path)).toEqual([
      ...framework.files.map((file) => file.path),
      'test/wabakit.test.ts',
      '.env.wabakit.example',
    ])
    const text = files.map((file) => file.text).join('')
    expect(text).toMatch(/createReceiver\(/)
    // SvelteKit 3 has neither $lib nor the variables of $env that nobody declared.
    expect(text).not.toMatch(/\$(?:lib|env)/)
  },
)

test.each(['app', 'pages'])('leaves Next.js its src/%s: a folder app next to src would hide it', (name) => {
  const path = createProject(`next-${name}`, { next: '*', vitest: '*' })
  mkdirSync(join(path, 'src', name), { recursive: true })
  const { files, install } = planFiles(path)
  expect(files.map((file) => file.path)).toEqual([
    'src/wabakit/receiver.ts',
    'src/app/webhooks/route.ts',
    'test/wabakit.test.ts',
    '.env.wabakit.example',
  ])
  expect(install).toBe('npm install wabakit')
})

test('writes the files only with consent, and never overwrites one', async () => {
  const path = createProject('written', { hono: '*' })
  const refused = await wabakit(['init'], { cwd: path })
  expect(refused.code).toBe(2)
  expect(refused.stdout).toContain('src/wabakit/receiver.ts')
  expect(refused.stderr).toContain('Add --yes')
  expect(existsSync(join(path, 'src'))).toBe(false)

  mkdirSync(join(path, 'test'))
  writeFileSync(join(path, 'test/wabakit.test.ts'), 'mine')
  const { code, stdout } = await wabakit(['init', '--yes'], { cwd: path })
  expect(code).toBe(0)
  expect(stdout).toContain("app.post('/webhooks', (c) => receiver.handle(c.req.raw))")
  expect(stdout).toContain('npm install wabakit && npm install --save-dev vitest\n')
  expect(stdout).toContain('These exist and stay as they are: test/wabakit.test.ts')
  expect(readFileSync(join(path, 'test/wabakit.test.ts'), 'utf8')).toBe('mine')
  expect(readFileSync(join(path, 'src/wabakit/receiver.ts'), 'utf8')).toContain('standardWebhooks')
  expect((await wabakit(['init', '--yes'], { cwd: path })).stderr).toContain('There is nothing to write.')
})

test('says which frameworks it knows', async () => {
  const path = createProject('unknown', { koa: '*' })
  const { code, stderr } = await wabakit(['init'], { cwd: path })
  expect([code, stderr]).toEqual([2, expect.stringContaining('none of Next.js, SvelteKit')])
})
