import type { StateOf } from '../machines.ts'
import type { CallWithSummary } from '../store.ts'

/** Where a call stands in `callMachine`: one that has a summary is `summarized`. */
export const stateOf = ({ call, summary }: CallWithSummary): StateOf<'call'> =>
  summary === undefined ? call.state : 'summarized'
