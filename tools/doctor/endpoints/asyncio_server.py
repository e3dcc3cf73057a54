"""A webhook endpoint with a hand-written HTTP server on asyncio streams.

FLAW selects its mistake. Without FLAW, it is correct. STYLE selects how responses end: "length", "chunked" or "close".
"""
import asyncio, base64, hmac, itertools, json, os, time

FLAW, STYLE = os.environ.get('FLAW'), os.environ.get('STYLE', 'length')
KEYS = [base64.b64decode(os.environ[name].removeprefix('whsec_')) for name in ('SECRET', 'PREVIOUS_SECRET')]
MAX_BYTES = 1_048_576
seen = set()


class Refusal(Exception):
    pass


async def read_head(reader):
    lines = (await reader.readuntil(b'\r\n\r\n')).decode('latin-1').split('\r\n')
    method, headers, names = lines[0].split(' ')[0], {}, set()
    for name, _, value in (line.partition(':') for line in lines[1:] if line):
        names.add(name)
        name = name.lower()
        # A repeated header becomes a list, which matches no signature.
        headers[name] = f'{headers[name]}, {value.strip()}' if name in headers else value.strip()
    return method, headers, names


async def read_body(reader, headers):
    body = b''
    if 'chunked' in headers.get('transfer-encoding', '') and FLAW != 'no chunks':
        while size := int((await reader.readline()).split(b';')[0], 16):
            if len(body) + size > MAX_BYTES:
                raise Refusal(413)
            body += await reader.readexactly(size)
            await reader.readline()
        await reader.readline()
        return body
    length = int(headers.get('content-length', 0))
    if length > MAX_BYTES:
        raise Refusal(413)
    return await reader.readexactly(length)


def verify(headers, names, body):
    if FLAW == 'exact names' and 'webhook-signature' not in names:
        raise Refusal(401)
    if FLAW == 'lower-case names' and 'webhook-signature' not in names:
        return  # "it must be our own monitoring"
    identity, timestamp, header = (headers.get(f'webhook-{name}', '') for name in ('id', 'timestamp', 'signature'))
    if not identity or not (timestamp.isascii() and timestamp.isdigit()) or abs(time.time() - int(timestamp)) > 300:
        raise Refusal(401)
    signed = f'{identity}.{timestamp}.'.encode('latin-1') + body
    expected = [b'v1,' + base64.b64encode(hmac.digest(key, signed, 'sha256')) for key in KEYS]
    if not any(hmac.compare_digest(given.encode('latin-1'), each) for given in header.split(' ') for each in expected):
        raise Refusal(401)


async def handle(identity, event):
    if identity in seen or event.get('event') != 'CALL_AI_SUMMARY':
        return
    line = f"{event['callId']} {event['summary']['recap']!r}\n"
    seen.add(identity)
    if FLAW == 'gives up':
        await asyncio.sleep(0.1)  # asks another service
    with open(os.environ['EFFECTS'], 'a') as effects:
        effects.write(line)


async def respond_to(method, headers, names, reader):
    if method != 'POST':
        raise Refusal(405)
    body = await read_body(reader, headers)
    verify(headers, names, body)
    try:
        event = json.loads(body.decode())
        if not isinstance(event, dict):
            raise Refusal(400)
        work = asyncio.create_task(handle(headers.get('webhook-id'), event))
        if FLAW == 'gives up':  # stops the work when the sender hangs up, as some frameworks do
            await asyncio.wait([work, asyncio.create_task(reader.read(1))], return_when=asyncio.FIRST_COMPLETED)
            work.cancel()
        await work
    except (ValueError, KeyError, TypeError, RecursionError):
        raise Refusal(400)
    return 200


def write_response(writer, status):
    version, ending = {
        'length': ('1.1', 'content-length: 2\r\n\r\nok'),
        'chunked': ('1.1', 'transfer-encoding: chunked\r\n\r\n1\r\no\r\n1\r\nk\r\n0\r\n\r\n'),
        'close': ('1.0', 'connection: close\r\n\r\nok'),
    }[STYLE]
    if FLAW == 'endless':  # neither a length nor an end
        ending = '\r\nok'
    writer.write(f'HTTP/{version} {status} -\r\n{ending}'.encode())


async def converse(reader, writer):
    try:
        for count in itertools.count():
            method, headers, names = await read_head(reader)
            try:
                if FLAW == 'first request' and count > 0:
                    await read_body(reader, headers)
                    status = 200
                else:
                    status = await respond_to(method, headers, names, reader)
            except Refusal as refusal:
                status = refusal.args[0]
            write_response(writer, status)
            await writer.drain()
            # The rest of a refused body would be read as the next request.
            if STYLE == 'close' or status == 413:
                break
            if FLAW != 'endless' and headers.get('connection') == 'close':
                break
    except (asyncio.IncompleteReadError, asyncio.LimitOverrunError, ConnectionError, ValueError):
        pass
    finally:
        writer.close()


async def main():
    server = await asyncio.start_server(converse, '127.0.0.1', int(os.environ['PORT']), backlog=128)
    await server.serve_forever()


asyncio.run(main())
