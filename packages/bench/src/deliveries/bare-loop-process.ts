import { Pool } from 'undici'
import { payload } from '../call-ai-summary.ts'
import { serveCommands } from '../commands.ts'
import { runConcurrently } from '../run-concurrently.ts'

// Only POSTs the same body, in a loop.
const [url = '', concurrency = ''] = process.argv.slice(2)
const connections = Number(concurrency)
const pool = new Pool(url, { connections })

const post = async (): Promise<void> => {
  const { body } = await pool.request({
    path: '/',
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: payload,
  })
  await body.dump()
}

serveCommands({ post: (times) => runConcurrently({ times, concurrency: connections }, post) })
