import { describeFault } from './cluster/timed-faults.ts'
import { type CallFault, type Fault, isCallFault, type Operation, type Plan } from './plan.ts'
import type { RunResult } from './run-plan.ts'

const formatTime = (ms: number): string => `${(ms / 1_000).toFixed(3)} s`

const describeOperation = ({ at, do: what, ...rest }: Operation): string =>
  `at ${formatTime(at)}: ${what} (${Object.entries(rest)
    .map(([name, value]) => `${name} ${String(value)}`)
    .join('; ')})`

const describeCall = ({ on, from }: CallFault): string =>
  from === undefined ? on : `first ${on} from ${formatTime(from)}`

const describe = (fault: Fault): string =>
  isCallFault(fault)
    ? `${describeCall(fault)}: ${fault.fault}`
    : `at ${formatTime(fault.at)}: ${describeFault(fault)}`

const plural = (count: number, word: string): string => `${count} ${word}${count === 1 ? '' : 's'}`

/** Lists the planned call faults that did not occur in the run. */
const listMissing = ({ faults }: Plan, { callFaults }: RunResult): CallFault[] =>
  faults
    .filter(isCallFault)
    .filter(
      ({ on, from, fault }) =>
        !callFaults.some(
          (each) =>
            each.fault === fault && (from === undefined ? each.on === on : each.on.startsWith(`${on} #`)),
        ),
    )

/** Describes a plan, what happened in its run, and the broken invariant. */
export const formatReproduction = (plan: Plan, result: RunResult): string => {
  const { violation, notes, traceHash } = result
  const { engine, servers, subscriptions, operations, faults, seed } = plan
  const list = [...operations.map(describeOperation), ...faults.map(describe)]
  const lines = [
    `Seed ${seed}, ${engine}: ${plural(servers.length, 'server')}, ${plural(subscriptions.length, 'subscription')}.`,
    '',
    'Operations and faults',
    ...list.map((line, index) => `${String(index + 1).padStart(3)}. ${line}`),
    ...(plan.rates === null ? [] : ['     and random call faults']),
    '',
    'What happened',
    ...notes.map((note) => `     ${note}`),
    ...listMissing(plan, result).map((fault) => `     This fault did not occur: ${describe(fault)}`),
    '',
    violation === undefined
      ? 'All invariants hold.'
      : `Broken: ${violation.invariant}\n        ${violation.what}`,
    `Trace ${traceHash}`,
  ]
  return lines.join('\n')
}
