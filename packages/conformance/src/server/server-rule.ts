import type { Severity } from '../report/report.ts'
import type { Check, Finding } from '../report/run-checks.ts'
import type { ApiRequest } from './api/api-request.ts'
import type { Lab, Need } from './lab.ts'
import { findPublishedDifference } from './published-differences.ts'
import type { Scenes } from './scenes.ts'

export type Examination = { readonly lab: Lab; readonly scenes: Scenes }

export type Observation = {
  /** `true` if the rule is kept, `false` if it is broken, `undefined` if the run could not determine it. */
  readonly kept: boolean | undefined
  readonly observed: string
  readonly requests?: readonly ApiRequest[] | undefined
}

/** A rule of the specification, or a decision where the specification is silent. */
export type ServerRule = {
  /** The rule as a sentence without a full stop. */
  readonly title: string
  /**
   * Section of the specification. If the specification is silent, the number and name of a decision, such as
   * `0009 (repeated group id)`.
   */
  readonly clause: string
  readonly expected: string
  readonly severity?: Severity
  readonly risk?: string
  readonly fix?: string
  /** Options required to examine the rule, in addition to --api-key and --waba-number. */
  readonly needs?: readonly Need[]
  examine(examination: Examination): Promise<Observation>
}

/** Rules by id, such as `create.subject.empty-is-400`. The part before the first dot is the group. */
export type ServerRules = Readonly<Record<string, ServerRule>>

export type RuleCheck = Check & { readonly needs: readonly Need[] }

const groupRisks: Readonly<Record<string, string>> = {
  create:
    'A client that is written for the specification gets groups that it did not ask for, or none, without noticing.',
  fetch:
    'A client that is written for the specification misses summaries, or waits for one that never comes.',
  events: 'A receiver loses, repeats or misattributes what happened in a call or a group.',
  webhooks: 'A receiver cannot tell genuine deliveries from forged or repeated ones.',
  errors: 'A client cannot tell what went wrong, and retries what it should not.',
  limits: 'A client that was slowed down does not know when to go on, and is refused for longer.',
  random:
    'A sequence of requests that each work alone leaves the server in a state that it should not be in.',
}

export const toCheck = ([id, rule]: [string, ServerRule], examination: Examination): RuleCheck => {
  const { title, clause, expected, severity = 'medium', needs = [], examine } = rule
  const group = id.slice(0, id.indexOf('.'))
  const decision = /^\d{4} /.test(clause) || undefined
  return {
    id,
    group,
    title,
    expected,
    ...(decision && { decision }),
    clause: decision
      ? `decision ${clause}; the specification is silent`
      : /^(?:RFC|Standard) /.test(clause)
        ? clause
        : `specification, ${clause}`,
    severity: decision ? 'low' : severity,
    risk: rule.risk ?? groupRisks[group] ?? '',
    fix:
      rule.fix ?? `Change the server so that this holds: ${title.charAt(0).toLowerCase()}${title.slice(1)}.`,
    needs: ['--api-key', '--waba-number', ...needs],
    run: async (): Promise<Finding> => {
      const { lab } = examination
      const { kept, observed, requests } = await examine(examination)
      const reproduce = requests === undefined ? undefined : lab.reproduce(requests)
      const published =
        lab.isLive && kept === false ? findPublishedDifference(id, { observed, lab }) : undefined
      if (published !== undefined)
        return { verdict: 'pass', observed: `allowed, as live services publish it: ${published}` }
      const broken = decision ? 'advice' : 'fail'
      return { verdict: kept === undefined ? 'inconclusive' : kept ? 'pass' : broken, observed, reproduce }
    },
  }
}
