import { checkClient } from './client.ts'

// Checks the client in a runtime with a command line. The arguments are the URLs of the service.
const [url = '', refusedUrl = ''] = process.argv.slice(2)
console.log(JSON.stringify(await checkClient({ url, refusedUrl, codes: true, browser: false })))
