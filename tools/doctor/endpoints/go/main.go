// A webhook endpoint on net/http. FLAW selects its mistake. Without FLAW, it is correct. With STYLE=acknowledges, it
// responds 200 to every POST but handles only genuine deliveries.
package main

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"net/http"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"
	"unicode/utf8"
)

type event struct {
	Event, CallID     string
	DurationInSeconds json.Number
	Summary           *struct{ Recap string }
}

var (
	flaw  = os.Getenv("FLAW")
	seen  sync.Map
	file  sync.Mutex
	queue = make(chan string, 10)
)

func isGenuine(request *http.Request, body []byte) bool {
	if flaw == "token in query" && request.URL.Query().Get("token") == os.Getenv("SECRET") {
		return true
	}
	// Get returns the first of repeated headers, which is the one that is verified and remembered.
	id, timestamp := request.Header.Get("webhook-id"), request.Header.Get("webhook-timestamp")
	seconds, err := strconv.ParseUint(timestamp, 10, 36)
	if id == "" || err != nil || time.Since(time.Unix(int64(seconds), 0)).Abs() > 5*time.Minute {
		return false
	}
	for _, name := range []string{"SECRET", "PREVIOUS_SECRET"} {
		key, _ := base64.StdEncoding.DecodeString(strings.TrimPrefix(os.Getenv(name), "whsec_"))
		mac := hmac.New(sha256.New, key)
		fmt.Fprintf(mac, "%s.%s.%s", id, timestamp, body)
		expected := "v1," + base64.StdEncoding.EncodeToString(mac.Sum(nil))
		for _, given := range strings.Fields(request.Header.Get("webhook-signature")) {
			if hmac.Equal([]byte(given), []byte(expected)) {
				return true
			}
		}
	}
	return false
}

func parse(body []byte) (parsed *event, err error) {
	if flaw == "int" {
		var numbers struct{ DurationInSeconds int } // 42.0 is the same number in JSON, but an error here
		if err = json.Unmarshal(body, &numbers); err != nil {
			return nil, err
		}
	}
	if err = json.Unmarshal(body, &parsed); err == nil && (parsed == nil || !utf8.Valid(body)) {
		err = fmt.Errorf("not an event")
	}
	return parsed, err
}

func isFirst(id string) bool {
	if flaw == "load, then store" {
		_, found := seen.Load(id)
		time.Sleep(30 * time.Millisecond) // a call to another service
		seen.Store(id, true)
		return !found
	}
	_, found := seen.LoadOrStore(id, true)
	return !found
}

func write(line string) {
	file.Lock()
	defer file.Unlock()
	effects, err := os.OpenFile(os.Getenv("EFFECTS"), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		log.Fatal(err)
	}
	defer effects.Close()
	fmt.Fprintln(effects, line)
}

func handle(parsed *event) {
	if parsed.Event != "CALL_AI_SUMMARY" {
		return
	}
	line := fmt.Sprintf("%s %q", parsed.CallID, parsed.Summary.Recap)
	if flaw != "full queue" {
		write(line)
		return
	}
	select {
	case queue <- line:
	default: // drops the line if the queue is full
	}
}

func receive(request *http.Request) int {
	if request.Method != http.MethodPost {
		return http.StatusMethodNotAllowed
	}
	var reader io.Reader = http.MaxBytesReader(nil, request.Body, 1<<20)
	if flaw == "no limit" {
		reader = request.Body
	}
	body, err := io.ReadAll(reader)
	if err != nil {
		return http.StatusRequestEntityTooLarge
	}
	if !isGenuine(request, body) {
		return http.StatusUnauthorized
	}
	parsed, err := parse(body)
	if err != nil || parsed.Event == "CALL_AI_SUMMARY" && (parsed.CallID == "" || parsed.Summary == nil) {
		return http.StatusBadRequest
	}
	if isFirst(request.Header.Get("webhook-id")) {
		handle(parsed)
	}
	return http.StatusOK
}

func main() {
	go func() {
		for line := range queue {
			time.Sleep(20 * time.Millisecond)
			write(line)
		}
	}()
	path := "/webhooks"
	if flaw == "slash" {
		path = "/webhooks/" // net/http redirects to it
	}
	http.HandleFunc(path, func(response http.ResponseWriter, request *http.Request) {
		status := receive(request)
		if os.Getenv("STYLE") == "acknowledges" && request.Method == http.MethodPost {
			status = http.StatusOK
		}
		response.WriteHeader(status)
	})
	server := http.Server{Addr: "127.0.0.1:" + os.Getenv("PORT"), ReadTimeout: 10 * time.Second}
	log.Fatal(server.ListenAndServe())
}
