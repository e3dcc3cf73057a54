import { Pool } from 'undici'
import { payload } from '../call-ai-summary.ts'
import { serveCommands } from '../commands.ts'
import { inParallel } from '../in-parallel.ts'

// A loop that does nothing but POST the same body.
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

serveCommands({ post: (times) => inParallel({ times, concurrency: connections }, post) })
