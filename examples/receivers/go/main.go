// Receives webhooks with the standard library alone.
package main

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

var (
	tokens  []string
	name    = os.Getenv("WEBHOOK_HEADER") // if the token is in a header instead of the URL
	secrets [][]byte
)

// listTokens lists the values of the parameter "token", decoded once; "+" stays "+".
func listTokens(query string) (values []string) {
	for _, pair := range strings.Split(query, "&") {
		key, value, _ := strings.Cut(pair, "=")
		if key, err := url.PathUnescape(key); err == nil && key == "token" {
			value, err := url.PathUnescape(value)
			if err != nil {
				value = ""
			}
			values = append(values, value)
		}
	}
	return values
}

func hasToken(request *http.Request) bool {
	given, scheme := listTokens(request.URL.RawQuery), ""
	if name != "" {
		given = request.Header.Values(name)
	}
	if strings.EqualFold(name, "authorization") {
		scheme = "Bearer "
	}
	genuine := false
	for _, token := range tokens {
		genuine = len(given) == 1 && hmac.Equal([]byte(given[0]), []byte(scheme+token)) || genuine
	}
	return genuine
}

func isSigned(header http.Header, body []byte) bool {
	id, timestamp := header.Values("webhook-id"), header.Values("webhook-timestamp")
	if len(id) != 1 || id[0] == "" || len(timestamp) != 1 {
		return false
	}
	seconds, err := strconv.ParseUint(timestamp[0], 10, 36)
	if err != nil || time.Since(time.Unix(int64(seconds), 0)).Abs() > 5*time.Minute {
		return false
	}
	for _, secret := range secrets {
		mac := hmac.New(sha256.New, secret)
		fmt.Fprintf(mac, "%s.%s.%s", id[0], timestamp[0], body)
		expected := "v1," + base64.StdEncoding.EncodeToString(mac.Sum(nil))
		for _, given := range strings.Fields(header.Get("webhook-signature")) {
			if hmac.Equal([]byte(given), []byte(expected)) {
				return true
			}
		}
	}
	return false
}

// keep writes a summary to a file that can be created only once, so that a duplicate delivery is not stored again. With a
// database, insert the webhook-id under a unique constraint, in the transaction that stores the summary.
func keep(callID, recap string) error {
	file, err := os.CreateTemp(os.Getenv("DATABASE"), ".new-")
	if err != nil {
		return err
	}
	defer os.Remove(file.Name())
	defer file.Close()
	if _, err = fmt.Fprintf(file, "%q %q\n", callID, recap); err == nil {
		err = file.Sync()
	}
	if err == nil {
		err = os.Link(file.Name(), filepath.Join(os.Getenv("DATABASE"), fmt.Sprintf("%x", sha256.Sum256([]byte(callID)))))
	}
	if errors.Is(err, fs.ErrExist) {
		return nil
	}
	return err
}

func receive(request *http.Request) int {
	switch {
	case request.Method != http.MethodPost:
		return http.StatusMethodNotAllowed
	case len(tokens) > 0 && !hasToken(request):
		return http.StatusUnauthorized
	}
	body, err := io.ReadAll(http.MaxBytesReader(nil, request.Body, 1<<20))
	switch {
	case err != nil:
		return http.StatusRequestEntityTooLarge
	case len(tokens) == 0 && !isSigned(request.Header, body):
		return http.StatusUnauthorized
	}
	var event *struct {
		Event, CallID string
		Summary       struct{ Recap *string }
	}
	if err := json.Unmarshal(body, &event); err != nil || event == nil || !utf8.Valid(body) {
		return http.StatusBadRequest
	}
	if event.Event == "CALL_AI_SUMMARY" {
		if event.CallID == "" || event.Summary.Recap == nil {
			return http.StatusBadRequest
		}
		if err := keep(event.CallID, *event.Summary.Recap); err != nil {
			log.Print(err)
			return http.StatusInternalServerError
		}
	}
	return http.StatusOK
}

func main() {
	for _, name := range []string{"WABAKIT_WEBHOOK_SECRET", "WABAKIT_WEBHOOK_SECRET_PREVIOUS"} {
		if text := os.Getenv(name); text != "" {
			secret, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(text, "whsec_"))
			if err != nil || len(secret) < 24 {
				log.Fatal(name, " needs at least 24 bytes, in base64")
			}
			secrets = append(secrets, secret)
		}
	}
	for _, name := range []string{"WEBHOOK_TOKEN", "WEBHOOK_TOKEN_PREVIOUS"} {
		if text := os.Getenv(name); len(text) >= 16 {
			tokens = append(tokens, text)
		} else if text != "" {
			log.Fatal(name, " needs at least 16 bytes")
		}
	}
	if len(tokens) == 0 && len(secrets) == 0 {
		log.Fatal("Set WEBHOOK_TOKEN or WABAKIT_WEBHOOK_SECRET")
	}
	handler := http.HandlerFunc(func(response http.ResponseWriter, request *http.Request) {
		response.WriteHeader(receive(request))
	})
	server := http.Server{Addr: "127.0.0.1:" + os.Getenv("PORT"), Handler: handler, ReadTimeout: 10 * time.Second}
	log.Fatal(server.ListenAndServe())
}
