import { checkAll } from './all.ts'

// Runs the checks in a runtime with a command line. The arguments are the URLs of the service.
const [url = '', refusedUrl = ''] = process.argv.slice(2)
checkAll({ url, refusedUrl, codes: true, browser: false }).then(
  (passed) => console.log(JSON.stringify(passed)),
  (error) => {
    console.error(error)
    process.exitCode = 1
  },
)
