import { execFileSync } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { createProgram } from './program.ts'

const bash = '/bin/bash'

const readScript = async (): Promise<string> => {
  const lines: string[] = []
  const log = vi.spyOn(console, 'log').mockImplementation((line) => lines.push(line))
  const program = await createProgram(['completion', 'bash'])
  await program.parseAsync(['completion', 'bash'], { from: 'user' })
  log.mockRestore()
  return lines.join('\n')
}

test.runIf(existsSync(bash))(
  'the script for bash passes typed words on and does not evaluate them',
  async () => {
    const folder = mkdtempSync(join(tmpdir(), 'wabakit-completion-'))
    onTestFinished(() => rmSync(folder, { recursive: true }))
    const script = `${await readScript()}
    _get_comp_words_by_ref() {
      words=(wabakit '$(touch evaluated)' '\`touch evaluated\`' ';touch evaluated' '')
      cur=''
    }
    compopt() { :; }
    wabakit() { printf '%s\\n' "$@" > words; echo ':4'; }
    __wabakit_complete || true`
    execFileSync(bash, ['-c', script], { cwd: folder })

    expect(readdirSync(folder)).toEqual(['words'])
    expect(readFileSync(join(folder, 'words'), 'utf8')).toBe(
      'complete\n--\n$(touch evaluated)\n`touch evaluated`\n;touch evaluated\n\n',
    )
  },
)
