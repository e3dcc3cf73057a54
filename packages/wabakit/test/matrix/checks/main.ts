import { checkClient } from './client.ts'

/** Runs the check in a runtime that has a command line: addresses come in, kept promises go out. */
const [url = '', refusedUrl = ''] = process.argv.slice(2)
console.log(JSON.stringify(await checkClient({ url, refusedUrl, codes: true, browser: false })))
