import { execFileSync } from 'node:child_process'
import { globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

// Compiles every TypeScript snippet of every page. Those that are identical to a file of the repository are compiled with it.
const root = fileURLToPath(new URL('../..', import.meta.url))
const folder = fileURLToPath(new URL('cache/snippets/', import.meta.url))
const read = (file: string): string => readFileSync(`${root}/${file}`, 'utf8')

const server = "import { createReferenceServer } from 'wabakit/core'\nconst server = createReferenceServer()"

/** What the reader has, by the beginnings of snippets that go on with something else. */
const contexts: Readonly<Record<string, string>> = {
  'import { createReferenceServer }': 'declare const request: Request',
  'const { groupId } = await server.groups': server,
  'const stop = server.on': `${server}\ndeclare const signal: AbortSignal`,
  'let now = Date.UTC':
    "import { createReferenceServer } from 'wabakit/core'\ndeclare const organizations: []",
}

const pages = globSync(['*.md', 'docs/{,reference/,internals/}*.md', 'packages/*/*.md'], { cwd: root })
const sources = globSync(['examples/**/*.ts', 'packages/*/test/**/*.ts'], {
  cwd: root,
  exclude: (path) => path.endsWith('node_modules'),
}).map(read)

rmSync(folder, { recursive: true, force: true })
mkdirSync(folder, { recursive: true })
let count = 0
let compiled = 0
for (const page of pages) {
  for (const [, code = ''] of read(page).matchAll(/^```ts\n(.*?)^```$/gms)) {
    count += 1
    if (sources.includes(code)) continue
    compiled += 1
    const context = Object.entries(contexts).find(([start]) => code.startsWith(start))?.[1] ?? ''
    const name = `${page.replaceAll(/\W+/g, '-')}-${count}.ts`
    writeFileSync(`${folder}/${name}`, `${context}\n${code}\nexport {}\n`)
  }
}
const tsconfig = { extends: '../../../../tsconfig.json', include: ['*.ts'], exclude: [] }
writeFileSync(`${folder}/tsconfig.json`, JSON.stringify(tsconfig))
execFileSync(process.execPath, [`${root}/node_modules/ts70/bin/tsc`, '-p', folder], { stdio: 'inherit' })
console.log(`All ${count} snippets compile: ${count - compiled} as files of the repository.`)
