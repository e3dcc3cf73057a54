import { execFile } from 'node:child_process'
import { expect, test } from 'vitest'

test('a script that loads the cluster keeps its exit code', async () => {
  const script = `import ${JSON.stringify(new URL('postgres-cluster.ts', import.meta.url).href)}; process.exitCode = 3`
  const code = await new Promise((resolve) => {
    execFile(process.execPath, ['--input-type=module', '--eval', script], (error) => resolve(error?.code))
  })
  expect(code).toBe(3)
})
