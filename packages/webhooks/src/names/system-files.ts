import { readFileSync, statSync } from 'node:fs'
import { isIP } from 'node:net'

/** The settings of `/etc/resolv.conf` (resolv.conf(5)) that c-ares does not apply to single queries. */
export type SearchRules = {
  /** Domains to append to a name. */
  readonly search: readonly string[]
  /** A name with at least this number of dots is first looked up as it is. */
  readonly ndots: number
}

const isMissing = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'EACCES')

/** Splits a configuration file into lines, and these into words, without comments. */
const splitLines = (text: string): string[][] =>
  text.split('\n').map((line) =>
    line
      .replace(/[#;].*/, '')
      .split(/\s+/)
      .filter(Boolean),
  )

/**
 * Returns a function that reads and parses a file, again only when it has changed. Reads synchronously, because
 * asynchronous reads share libuv's thread pool with whatever blocks it.
 */
const createReader = <Parsed>(path: string, parse: (text: string) => Parsed): (() => Parsed) => {
  let last: { readonly version: string; readonly parsed: Parsed } | undefined
  return () => {
    const stat = statSync(path, { throwIfNoEntry: false })
    const version = `${stat?.mtimeMs} ${stat?.size} ${stat?.ino}`
    if (last?.version === version) return last.parsed
    let text = ''
    try {
      text = readFileSync(path, 'utf8')
    } catch (error) {
      if (!isMissing(error)) throw error
    }
    last = { version, parsed: parse(text) }
    return last.parsed
  }
}

const parseHosts = (text: string): ReadonlyMap<string, readonly string[]> => {
  const hosts = new Map<string, string[]>()
  for (const [address = '', ...names] of splitLines(text)) {
    if (isIP(address) === 0) continue
    for (const name of names.map((each) => each.toLowerCase())) {
      hosts.set(name, [...(hosts.get(name) ?? []), address])
    }
  }
  return hosts
}

const parseSearchRules = (text: string): SearchRules => {
  let search: string[] = []
  let ndots = 1
  for (const [keyword, ...values] of splitLines(text)) {
    if (keyword === 'search' || keyword === 'domain') search = values.map((each) => each.replace(/\.$/, ''))
    if (keyword !== 'options') continue
    const [, number] = values.join(' ').match(/\bndots:(\d+)/) ?? []
    // The limit of resolv.conf(5).
    if (number !== undefined) ndots = Math.min(15, Number(number))
  }
  return { search: search.filter(Boolean), ndots }
}

const systemHosts =
  process.platform === 'win32'
    ? `${process.env.SystemRoot ?? 'C:\\Windows'}\\System32\\drivers\\etc\\hosts`
    : '/etc/hosts'

/** Creates readers of the addresses in the hosts file, by lower-case name, and of the search rules. */
export const createSystemFiles = ({ hosts = systemHosts, resolvConf = '/etc/resolv.conf' } = {}) => ({
  readHosts: createReader(hosts, parseHosts),
  readSearchRules: createReader(resolvConf, parseSearchRules),
})
