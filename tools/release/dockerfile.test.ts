import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { expect, test } from 'vitest'

const root = resolve(import.meta.dirname, '../..')
const read = (path: string): string => readFileSync(resolve(root, path), 'utf8')

test('the image installs from a lockfile, on the exact version of Node.js that the tests run on', () => {
  const dockerfile = read('Dockerfile')
  const { version } = JSON.parse(read('node_modules/node/package.json'))
  const bases = [...dockerfile.matchAll(/^FROM (\S+)/gm)].map(([, base]) => base)
  expect(new Set(bases)).toEqual(new Set([`node:${version}-alpine`]))
  expect(dockerfile).toMatch(/^COPY \.release\/server\/ .*\nRUN npm ci /m)
  expect(dockerfile).not.toMatch(/npm (?:install|i) /)
})

test.each(['ci.yml', 'release.yml'])('%s runs actions by their full commit', (name) => {
  const used = [...read(`.github/workflows/${name}`).matchAll(/uses: (\S+)/g)].map(([, action]) => action)
  expect(used.length).toBeGreaterThan(0)
  for (const action of used) expect(action).toMatch(/@[0-9a-f]{40}$/)
})

test('the job that may publish installs and builds nothing', () => {
  const jobs = read('.github/workflows/release.yml').split(/^ {2}(?=\w+:$)/m)
  const publishing = jobs.filter((job) => job.includes('id-token: write'))
  expect(publishing).toHaveLength(1)
  expect(publishing[0]).not.toMatch(/npm (?:ci|install|test|run (?!release:publish\b))/)
})
