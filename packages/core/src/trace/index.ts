// For the mock, which saves what happened in a test, and for the page that shows it

export { openTrace } from './open-trace.ts'
export { saveTrace, type Told } from './save-trace.ts'
