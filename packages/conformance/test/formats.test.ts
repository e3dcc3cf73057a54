import { stripVTControlCharacters } from 'node:util'
import { formatReport, type Report, reportFormats } from '@wabakit/conformance'
import { beforeAll, describe, expect, test } from 'vitest'
import { type Endpoint, startEndpoint } from './endpoint.ts'
import { examine } from './examine.ts'

let report: Report

/** Creates a report with every verdict, from an endpoint that responds with markup. */
beforeAll(async () => {
  const ids = [
    'refuses-unsigned',
    'refuses-get',
    'refuses-malformed-timestamp',
    'handles-replay-once',
    'does-not-redirect',
  ]
  await using endpoint: Endpoint = await startEndpoint(() => ({ verify: () => undefined }))
  const found = await examine(endpoint, { only: ids, skip: ['refuses-get'], effects: undefined })
  const hostile = '<b>&"\u001b[2J\u0000\u009b2J\u202e\u007f\ud800 ]]> | `x` \n# heading'
  report = {
    ...found,
    checks: found.checks.map((check) =>
      check.verdict === 'pass' ? check : { ...check, observed: hostile, reproduce: hostile },
    ),
  }
})

test('the report in these tests has every verdict', () => {
  expect(Object.values(report.counts).every((count) => count > 0)).toBe(true)
})

type Element = {
  readonly name: string
  readonly attributes: Record<string, string>
  readonly children: Element[]
}

/** Parses XML strictly: tags must be closed, attributes quoted and unique, and characters allowed. */
const readXml = (text: string): Element => {
  expect(text).toMatch(/^<\?xml version="1.0" encoding="UTF-8"\?>\n/)
  // biome-ignore lint/suspicious/noControlCharactersInRegex: XML 1.0 forbids these
  expect(text).not.toMatch(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/)
  expect(text).not.toMatch(/&(?!(?:amp|lt|gt|quot|apos|#\d+|#x[\da-f]+);)/i)
  const root: Element = { name: '', attributes: {}, children: [] }
  const open = [root]
  for (const [, close, name = '', attributes = '', selfClosing] of text
    .replace(/^<\?.*\?>/, '')
    .matchAll(/<(\/?)([a-z-]+)((?:\s+[\w:-]+="[^"<]*")*)\s*(\/?)>|</g)) {
    if (close) expect(open.pop()?.name).toBe(name)
    else {
      expect(name).not.toBe('')
      const pairs = [...attributes.matchAll(/([\w:-]+)="([^"]*)"/g)].map(([, key = '', value = '']) => [
        key,
        value,
      ])
      const element: Element = { name, attributes: Object.fromEntries(pairs), children: [] }
      expect(Object.keys(element.attributes)).toHaveLength(pairs.length)
      open.at(-1)?.children.push(element)
      if (!selfClosing) open.push(element)
    }
  }
  expect(open).toEqual([root])
  expect(root.children).toHaveLength(1)
  return root.children[0] ?? root
}

describe('JUnit', () => {
  /** The part of the Jenkins xUnit plugin's schema (junit-10.xsd) that we use. */
  const allowed: Record<string, { attributes: string[]; children: string[] }> = {
    testsuites: { attributes: ['name', 'time', 'tests', 'failures', 'errors'], children: ['testsuite'] },
    testsuite: {
      attributes: ['name', 'tests', 'failures', 'errors', 'time', 'skipped'],
      children: ['testcase', 'properties', 'system-out', 'system-err', 'testsuite'],
    },
    testcase: {
      attributes: ['name', 'time', 'classname', 'group'],
      children: ['skipped', 'error', 'failure', 'system-out', 'system-err'],
    },
    failure: { attributes: ['type', 'message'], children: [] },
    skipped: { attributes: ['type', 'message'], children: [] },
    'system-out': { attributes: [], children: [] },
  }

  const assertAllowed = (element: Element): void => {
    const rule = allowed[element.name]
    expect(rule, element.name).toBeDefined()
    expect(Object.keys(element.attributes).filter((name) => !rule?.attributes.includes(name))).toEqual([])
    for (const child of element.children) {
      expect(rule?.children).toContain(child.name)
      assertAllowed(child)
    }
  }

  test('is well-formed, has only known elements and attributes, and has correct counts', () => {
    const suites = readXml(formatReport(report, 'junit'))
    assertAllowed(suites)
    const [suite] = suites.children
    const cases = suite?.children ?? []
    const count = (name: string) =>
      cases.filter(({ children }) => children.some((child) => child.name === name)).length
    expect(suites.attributes).toMatchObject({
      tests: String(cases.length),
      failures: String(count('failure')),
      errors: '0',
    })
    expect(suite?.attributes.skipped).toBe(String(count('skipped')))
    expect(cases.map(({ attributes: { name } }) => name)).toEqual(report.checks.map(({ id }) => id))
    for (const { attributes } of [suites, ...cases]) expect(attributes.time).toMatch(/^\d{1,3}\.\d{3}$/)
  })
})

describe('SARIF', () => {
  test('has the fields that SARIF 2.1.0 requires, and a result for every failure and advice', () => {
    const log = JSON.parse(formatReport(report, 'sarif'))
    expect(Object.keys(log).sort()).toEqual(['$schema', 'runs', 'version'])
    expect(log.version).toBe('2.1.0')
    const [run] = log.runs
    const { driver } = run.tool
    expect(driver.rules.map(({ id }: { id: string }) => id)).toEqual(report.checks.map(({ id }) => id))
    expect(new Set(driver.rules.map(({ id }: { id: string }) => id)).size).toBe(driver.rules.length)
    for (const rule of driver.rules) {
      expect(rule).toEqual({
        id: expect.any(String),
        name: expect.any(String),
        shortDescription: { text: expect.any(String) },
        fullDescription: { text: expect.any(String) },
        help: { text: expect.any(String) },
        defaultConfiguration: { level: expect.stringMatching(/^(?:none|note|warning|error)$/) },
        properties: expect.any(Object),
      })
    }
    const found = report.checks.filter(({ verdict }) => verdict === 'fail' || verdict === 'advice')
    expect(run.results).toHaveLength(found.length)
    for (const result of run.results) {
      expect(driver.rules[result.ruleIndex].id).toBe(result.ruleId)
      expect(result.level).toMatch(/^(?:note|warning|error)$/)
      expect(result.message.text).not.toBe('')
      expect(result.locations[0].physicalLocation.artifactLocation.uri).toBe(report.target)
      expect(Object.values(result.partialFingerprints).every((value) => typeof value === 'string')).toBe(true)
    }
  })

  test('a failure has the level and the score of its severity, and advice is a note', () => {
    const severities = ['critical', 'high', 'medium', 'low'] as const
    const format = (verdict: string) => {
      const checks = report.checks
        .filter((check) => check.verdict === verdict)
        .flatMap((check) => severities.map((severity) => ({ ...check, severity })))
      const [{ results, tool }] = JSON.parse(formatReport({ ...report, checks }, 'sarif')).runs
      return { levels: results.map(({ level }: { level: string }) => level), rules: tool.driver.rules }
    }
    const { levels, rules } = format('fail')
    expect(levels).toEqual(['error', 'error', 'warning', 'note'])
    const scores = rules.map(({ properties }: { properties: object }) => properties)
    expect(scores).toMatchObject(
      ['9.5', '8.0', '5.0', '2.0'].map((score) => ({ 'security-severity': score })),
    )
    expect(format('advice').levels).toEqual(['note', 'note', 'note', 'note'])
  })
})

describe('the other formats', () => {
  test.each(reportFormats)('%s has no control characters from the target', (format) => {
    // biome-ignore lint/suspicious/noControlCharactersInRegex: this is how colors begin
    const text = formatReport(report, format).replace(/\u001b\[\d+m/g, '')
    expect(text.replaceAll('\n', '')).not.toMatch(/[\p{Cc}\p{Bidi_Control}]/u)
  })

  test('JSON contains the unchanged report', () => {
    expect(JSON.parse(formatReport(report, 'json'))).toEqual(JSON.parse(JSON.stringify(report)))
  })

  test('Markdown has a row for each check that applies, whatever was observed', () => {
    const rows = formatReport(report, 'markdown')
      .split('\n')
      .filter((line) => line.startsWith('| '))
    expect(rows).toHaveLength(report.checks.length - report.counts.skipped + 1)
    expect(rows.every((row) => row.replace(/\\\|/g, '').split('|').length === 5)).toBe(true)
  })

  test('Markdown and the pretty format state the verdict, the counts and the seed', () => {
    const summary = '1 failed, 1 advice, 1 inconclusive, 1 skipped, 2 passed'
    const markdown = formatReport(report, 'markdown')
    expect(markdown).toContain('## wabakit doctor: fail\n')
    expect(markdown).toContain(`: ${summary}. Seed 42.\n`)
    // biome-ignore lint/suspicious/noControlCharactersInRegex: this is how colors begin
    const pretty = formatReport(report, 'pretty').replace(/\u001b\[\d+m/g, '')
    expect(pretty).toContain(`fail  ${summary}  seed 42\n`)
    const passed = report.checks.filter(({ verdict }) => verdict === 'pass')
    const counts = { pass: 1, fail: 0, advice: 0, inconclusive: 0, skipped: 0 }
    expect(formatReport({ ...report, counts, checks: passed }, 'markdown')).toContain(': 1 passed. Seed')
  })

  test('advice has no severity, because it is no mistake', () => {
    const pretty = stripVTControlCharacters(formatReport(report, 'pretty'))
    expect(pretty).toMatch(/^! refuses-malformed-timestamp \(advice\)$/m)
    expect(pretty).toMatch(/^✗ refuses-unsigned \(critical\)$/m)
  })

  test('Markdown explains the failures and the advice, and nothing else', () => {
    const headings = formatReport(report, 'markdown').match(/^### .*$/gm) ?? []
    const found = report.checks.filter(({ verdict }) => verdict === 'fail' || verdict === 'advice')
    expect(headings).toEqual(found.map(({ id }) => `### ${id}`))
  })

  test('the pretty format names the variables of its commands once', () => {
    const reproduce = 'wabakit doctor "$WABAKIT_WEBHOOK_URL" --secret "$WABAKIT_WEBHOOK_SECRET"'
    const checks = report.checks.map((check) => ({ ...check, reproduce }))
    expect(formatReport({ ...report, checks }, 'pretty')).toMatch(
      /first set these variables to what this run was given:\nWABAKIT_WEBHOOK_URL\nWABAKIT_WEBHOOK_SECRET\n\n/,
    )
    expect(formatReport(report, 'pretty')).not.toContain('first set')
  })

  test('the pretty format fits 80 columns, except for commands and inconclusive observations', () => {
    const long = 'word '.repeat(40).trim()
    const checks = report.checks.map((check) => ({ ...check, observed: long }))
    // biome-ignore lint/suspicious/noControlCharactersInRegex: this is how colors begin
    const text = formatReport({ ...report, checks }, 'pretty').replace(/\u001b\[\d+m/g, '')
    const wide = text.split('\n').filter((line) => line.length > 80 && !/^ {4}reproduce| {2}[?-] /.test(line))
    expect(wide).toEqual([])
    expect(text.replace(/\s+/g, ' ')).toContain(`observed ${long}`)
  })

  test.each(['pretty', 'markdown'] as const)('%s has one line for all checks that were skipped', (format) => {
    const [first] = report.checks.filter(({ verdict }) => verdict === 'skipped')
    if (first === undefined) throw new Error('No check was skipped.')
    const skipped = ['no secret', 'no secret', 'no header'].map((observed) => ({ ...first, observed }))
    const checks = [...report.checks.filter((check) => check !== first), ...skipped]
    const counts = { ...report.counts, skipped: skipped.length }
    const text = formatReport({ ...report, checks, counts }, format)
    const lines = text.split('\n').filter((line) => line.includes('no secret') || line.includes('no header'))
    expect(lines).toEqual([expect.stringContaining('skipped: 2 (no secret), 1 (no header)')])
    expect(text).not.toContain(first.id)
  })

  test.each(['pretty', 'markdown'] as const)(
    '%s has one line for all checks that are inconclusive for the same reason, and JSON has each',
    (format) => {
      const [first] = report.checks.filter(({ verdict }) => verdict === 'inconclusive')
      if (first === undefined) throw new Error('No check was inconclusive.')
      const open = ['late-1', 'late-2', 'late-3'].map((id) => ({ ...first, id, observed: 'no time left' }))
      const checks = [...report.checks.filter((check) => check !== first), first, ...open]
      const changed = { ...report, checks, counts: { ...report.counts, inconclusive: 4 } }
      const text = stripVTControlCharacters(formatReport(changed, format))
      const lines = text.split('\n').filter((line) => line.includes('no time left'))
      expect(lines).toEqual([expect.stringMatching(/^(?: {2}\? )?3 inconclusive: no time left$/)])
      expect(text).not.toContain('late-')
      expect(text).toContain(first.id)
      expect(JSON.parse(formatReport(changed, 'json')).checks).toHaveLength(checks.length)
    },
  )

  test('the pretty format has a line for each check that applies, and the failures last', () => {
    // biome-ignore lint/suspicious/noControlCharactersInRegex: this is how colors begin
    const text = formatReport(report, 'pretty').replace(/\u001b\[\d+m/g, '')
    expect(text).not.toContain('\n# heading')
    const lines = text.split('\n')
    expect(lines.filter((line) => /^ {2}[✓✗!?] /.test(line))).toHaveLength(
      report.checks.length - report.counts.skipped,
    )
    expect(text.lastIndexOf('✗ refuses-unsigned')).toBeGreaterThan(
      text.lastIndexOf('! refuses-malformed-timestamp'),
    )
  })
})
