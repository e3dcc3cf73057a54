import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'

const readme = ['../README.md', '../../wire/README.md']
  .map((path) => readFileSync(new URL(path, import.meta.url), 'utf8'))
  .join('\n')
const snippets = [...readme.matchAll(/^```ts\n(.*?)^```$/gms)].map(([, code = '']) => code)

const printed = [
  /wabaNumber is required.*subject must be at most 128 characters long.*true/s,
  /c1\n\{ region: 'eu' \}\n\*\*\*43\n/,
  /^\[ '\/whatsapp\/wa-group\/create', '\/v1\/call\/ai-summary' \]\n3\.0\.0 object\n$/,
  /^\[\n? *\{\s*path: 'durationInSeconds',\s*message: 'durationInSeconds must be a number'\s*\}\s*\]\n$/,
]

test.each(printed.map((output, index) => ({ output, index })))(
  'snippet $index of the READMEs prints what its comments show',
  async ({ output, index }) => {
    const flags = [
      '--conditions=@wabakit/source',
      '--input-type=module-typescript',
      '--eval',
      snippets[index] ?? '',
    ]
    const cwd = new URL('../../wabakit/', import.meta.url)
    const { stdout } = await promisify(execFile)(process.execPath, flags, { cwd })
    expect(stdout).toMatch(output)
    expect(snippets).toHaveLength(printed.length)
  },
)
