import { getMessage } from '../api/api-error.ts'
import { reloadAll } from '../api/reload.ts'
import { notify } from '../state/notices.ts'

/** Performs an action, reports its result or error, and reads all records in view again. */
export const perform = async (action: () => Promise<string>): Promise<boolean> => {
  try {
    notify(await action())
    reloadAll()
    return true
  } catch (error) {
    notify(getMessage(error), { isProblem: true })
    return false
  }
}
