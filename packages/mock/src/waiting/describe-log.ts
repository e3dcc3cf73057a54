import type { TestLogEntry } from '@wabakit/core/control'
import { printValue } from '../matching/print.ts'
import type { Happening } from '../recording.ts'
import { describeDelivery, describeEvent, describeRequest } from './timeout-message.ts'

const isFailed = (happening: Happening): boolean => {
  if (happening.kind === 'request') return (happening.item.status ?? 500) >= 400
  if (happening.kind === 'delivery') return !happening.item.acknowledged
  return 'problem' in happening && happening.problem !== ''
}

const nameFault = (happening: Happening): string => {
  if (happening.kind === 'delivery') return happening.item.faults.join(', ')
  return happening.kind === 'request' && happening.item.fault ? printValue(happening.item.fault) : ''
}

const describeArguments = (args: readonly unknown[] | undefined): string =>
  args === undefined
    ? ''
    : `(${args
        .filter((each) => each !== undefined)
        .map(printValue)
        .join(', ')})`

const describe = (happening: Happening): string => {
  switch (happening.kind) {
    case 'request':
      return describeRequest(happening.item)
    case 'event':
      return describeEvent(happening.item)
    case 'delivery':
      return describeDelivery(happening.item)
    case 'step':
      return happening.text + describeArguments(happening.args)
    case 'wait':
    case 'test':
      return happening.text
    default:
      return happening satisfies never
  }
}

/** Returns whether something is a delivery that only the collector got, and that no fault hit. Most tests are not about these. */
const isCollected = (happening: Happening): boolean =>
  happening.kind === 'delivery' && happening.item.to === 'collector' && happening.item.faults.length === 0

/** Describes what happened in a test, in its order. */
export const describeLog = (log: readonly Happening[]): TestLogEntry[] =>
  log
    .filter((happening) => !isCollected(happening))
    .map((happening) => ({
      at: happening.at,
      kind: happening.kind,
      text: describe(happening),
      details: 'problem' in happening ? happening.problem : '',
      failed: isFailed(happening),
      fault: nameFault(happening),
    }))
