import type { StateOf } from '../machines.ts'
import type { CallWithSummary } from '../store.ts'

/** Returns the state of a call in `callMachine`: with a summary, it is `summarized`. */
export const getCallState = ({ call, summary }: CallWithSummary): StateOf<'call'> =>
  summary === undefined ? call.state : 'summarized'
