"""A webhook endpoint on Python's http.server. It is correct, or has the mistake named by the argument."""
import base64, hashlib, hmac, json, os, sys, threading, time, traceback
from http.server import BaseHTTPRequestHandler, HTTPServer, ThreadingHTTPServer
from urllib.parse import parse_qs, urlparse

flaw = sys.argv[1] if len(sys.argv) > 1 else ''
secrets = [base64.b64decode(each.removeprefix('whsec_')) for each in sys.argv[2:]]
if flaw == 'empty secret':
    secrets.append(os.environ.get('NO_SUCH_VARIABLE', '').encode())
effects, seen, states, known_signatures = [], {}, {}, set()
lock = threading.Lock()
busy = threading.Semaphore(1)
handled = 0


class Refusal(Exception):
    pass


def read_body(request):
    limit = 10**9 if flaw == 'no limit' else 1_048_576
    if 'chunked' in request.headers.get('transfer-encoding', ''):
        body = b''
        while True:
            size = int(request.rfile.readline().split(b';')[0], 16)
            body += request.rfile.read(size)
            request.rfile.readline()
            if size == 0:
                return body
            if len(body) > limit:
                raise Refusal(413)
    length = int(request.headers.get('content-length', 0))
    if length > limit:
        # Keeps reading for a while, so that the client sees the response.
        for left in range(min(length, 2_000_000), 0, -65_536):
            request.rfile.read(min(left, 65_536))
        raise Refusal(413)
    body = request.rfile.read(length)
    if len(body) < length:
        raise Refusal(400)
    return body


def verify(request, body):
    names = ('webhook-id', 'webhook-timestamp', 'webhook-signature')
    if flaw == 'secret in query' and base64.b64decode(
        parse_qs(urlparse(request.path).query).get('token', [''])[0].removeprefix('whsec_') or 'AA=='
    ) in secrets:
        return
    if flaw == 'lower-case names' and names[2] not in request.headers.keys() and request.headers.get(names[2]):
        return
    values = [request.headers.get_all(name, []) for name in names]
    if flaw == 'last header':
        values = [each[-1:] for each in values]
    if any(len(each) != 1 for each in values) and flaw != 'last header' or not all(values):
        raise Refusal(401)
    identity, timestamp, header = (each[0] for each in values)
    if not identity or not header:
        raise Refusal(401)
    parse = {'loose timestamp': float, 'parsed timestamp': lambda text: int(float(text))}.get(flaw)
    if parse is None:
        if not (timestamp.isascii() and timestamp.isdigit()):
            raise Refusal(401)
        parse = int
    try:
        age = time.time() - parse(timestamp)
    except ValueError:
        raise Refusal(401)
    tolerance = {'ten minutes': 600, 'seven minutes': 420}.get(flaw, 300)
    if flaw == 'past only':
        age = max(0, age)
    if flaw == 'future only':
        age = min(0, age)
    if abs(age) > tolerance and flaw != 'no clock':
        raise Refusal(401)
    if flaw == 'parsed timestamp':
        timestamp = str(parse(timestamp))
    if flaw == 'known signatures' and header in known_signatures:
        return
    signed = [f'{identity}.{timestamp}.'.encode() + body]
    if flaw == 'body alone':
        signed.append(body)
    if flaw == 'any id':
        signed = []
        for known in [identity, *seen]:
            signed.append(f'{known}.{timestamp}.'.encode() + body)
    if flaw == 'parsed body':
        signed.append(f'{identity}.{timestamp}.'.encode() + json.dumps(json.loads(body), separators=(',', ':'), ensure_ascii=False).encode())
    expected = [base64.b64encode(hmac.new(key, content, hashlib.sha256).digest()).decode() for key in secrets for content in signed]
    parts = header.split(' ')
    if flaw == 'first signature':
        parts = parts[:1]
    for part in parts:
        version, _, given = part.partition(',')
        if version != 'v1' and not (flaw == 'any version' and version.startswith('v')):
            continue
        for right in expected:
            same = hmac.compare_digest(given.encode(), right.encode())
            if flaw == 'prefix':
                same = right.startswith(given) and given != ''
            if flaw == 'case':
                same = given.lower() == right.lower()
            if same:
                known_signatures.add(header)
                return
    if flaw == 'prints signature':
        raise Refusal(401, f'expected {expected[0]}')
    raise Refusal(401)


def handle(event):
    global handled
    handled += 1
    name, subject = event.get('event'), event.get('callId') or event.get('groupId')
    if flaw == 'loses some' and handled in (13, 14, 15, 16, 17, 18):
        return
    if flaw == 'status row':
        states[subject] = name
        effects[:] = [f'{key} is {value}' for key, value in states.items()]
        return
    if flaw == 'late ended deletes' and name == 'CALL_ENDED':
        effects[:] = [line for line in effects if line != f'CALL_AI_SUMMARY {subject}']
    line = f'{name} {subject}'
    if flaw == 'slow effects' or flaw == 'slow effects twice':
        threading.Timer(0.3, lambda: (line in effects and flaw == 'slow effects') or effects.append(line)).start()
    elif line not in effects or flaw not in ('', 'acknowledges all', 'keep-alive', 'insists'):
        effects.append(line)


def remember(identity, timestamp):
    """Returns whether the delivery was handled before."""
    if flaw == 'no dedupe' or flaw == 'slow effects twice':
        return False
    if flaw == 'id and time':
        identity += timestamp
    if flaw == 'look up first':
        known = identity in seen
        time.sleep(0.05)
        seen[identity] = True
        return known
    with lock:
        if identity in seen:
            return True
        seen[identity] = True
        if flaw == 'hundred ids' and len(seen) > 100:
            del seen[next(iter(seen))]
    return False


class Endpoint(BaseHTTPRequestHandler):
    protocol_version = 'HTTP/1.1' if flaw == 'keep-alive' else 'HTTP/1.0'
    # With one thread and this limit, it would accept a delivery after 5 s for each slow body, which may be soon enough.
    timeout = None if flaw == 'one thread' else 5

    def respond(self, status, text=''):
        data = text.encode()
        self.send_response(status)
        if flaw == 'redirects' and self.command == 'POST':
            self.send_header('location', '/webhooks/')
        self.send_header('content-length', str(len(data)))
        if flaw != 'keep-alive':
            self.send_header('connection', 'close')
        self.end_headers()
        self.wfile.write(data)

    def do_GET(self):
        if self.path == '/effects':
            return self.respond(200, '\n'.join(effects))
        self.respond(200 if flaw == 'get' else 405)

    def do_POST(self):
        if flaw == 'redirects':
            return self.respond(301)
        if flaw == 'second request' and not busy.acquire(blocking=False):
            os._exit(1)
        if flaw == 'second request':
            time.sleep(0.02)
            # Released before the response, because the next request may follow it immediately.
            busy.release()
        try:
            self.receive()
        except Refusal as refusal:
            self.respond(200 if flaw == 'acknowledges all' else refusal.args[0], str(refusal.args[1:]))
        except Exception:
            self.respond(500, traceback.format_exc() if flaw == 'traceback' else '')

    def receive(self):
        body = read_body(self)
        if flaw == 'charset' and self.headers.get('content-type') != 'application/json':
            raise Refusal(415)
        if flaw == 'handles first':
            try:
                handle(json.loads(body))
            except Exception:
                pass
        verify(self, body)
        if flaw == 'traceback':
            event = json.loads(body.decode())
        try:
            event = json.loads(body.decode())
        except (ValueError, RecursionError):
            raise Refusal(400)
        if not isinstance(event, dict):
            raise Refusal(400)
        name = event.get('event')
        if flaw == 'unknown event' and name not in KNOWN:
            raise Refusal(422)
        if flaw == 'extra fields' and 'orgId' in event:
            raise Refusal(422)
        identity = self.headers['webhook-id']
        if remember(identity, self.headers['webhook-timestamp']):
            return self.respond(409 if flaw == 'conflict' else 200)
        if flaw == 'insists late' and name == 'CALL_AI_SUMMARY' and f"CALL_ENDED {event.get('callId')}" not in effects:
            del seen[identity]
            raise Refusal(404)
        if flaw != 'handles first':
            handle(event)
        self.respond(204 if flaw == 'no content' else 200)

    def log_message(self, *_):
        pass


KNOWN = set(filter(None, os.environ.get('EVENTS', '').split(',')))


class Server(HTTPServer if flaw == 'one thread' else ThreadingHTTPServer):
    request_queue_size = 128

    def handle_error(self, *_):
        pass


server = Server(('127.0.0.1', 0), Endpoint)
print(server.server_port, flush=True)
server.serve_forever()
