import { afterEach, expect, test, vi } from 'vitest'
import { requireCommand, requireProgram } from './programs.ts'

afterEach(() => {
  vi.unstubAllEnvs()
  vi.restoreAllMocks()
})

test.runIf(process.platform === 'linux')(
  'a missing program fails tests in CI, and skips them elsewhere',
  () => {
    const warn = vi.spyOn(console, 'warn').mockReturnValue()
    vi.stubEnv('CI', 'true')
    expect(requireCommand(process.execPath, '--version')).toBe(true)
    expect(() => requireCommand('no-such-program', '--version')).toThrow('Tests need no-such-program')
    expect(() => requireCommand(process.execPath, '--eval', 'process.exit(1)')).toThrow('CI skips no tests')
    expect(requireProgram('go', false)).toBe(false)

    vi.stubEnv('CI', undefined)
    expect(requireCommand('no-such-program', '--version')).toBe(false)
    expect(warn).toHaveBeenLastCalledWith(expect.stringContaining('no-such-program'))
  },
)
