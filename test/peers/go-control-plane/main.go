// Serves snapshots of rate limit rules over xDS by go-control-plane's own cache and server, as Envoy Gateway does.
// Its first argument is the address of the clients; the second that of the test, which posts a snapshot,
// {"node", "version", "resources"}. A line of the output is a request of a client.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"os"
	"sync"

	discovery "github.com/envoyproxy/go-control-plane/envoy/service/discovery/v3"
	"github.com/envoyproxy/go-control-plane/pkg/cache/types"
	"github.com/envoyproxy/go-control-plane/pkg/cache/v3"
	"github.com/envoyproxy/go-control-plane/pkg/resource/v3"
	"github.com/envoyproxy/go-control-plane/pkg/server/v3"
	rules "github.com/envoyproxy/go-control-plane/ratelimit/config/ratelimit/v3"
	"google.golang.org/grpc"
	"google.golang.org/protobuf/encoding/protojson"
)

type snapshot struct {
	Node      string
	Version   string
	Resources []json.RawMessage
}

func main() {
	listener, err := net.Listen("tcp", os.Args[1])
	if err != nil {
		log.Fatal(err)
	}
	snapshots := cache.NewSnapshotCache(false, cache.IDHash{}, nil)
	service := grpc.NewServer()
	discovery.RegisterAggregatedDiscoveryServiceServer(
		service,
		server.NewServer(context.Background(), snapshots, printer()),
	)
	go func() { log.Fatal(service.Serve(listener)) }()
	log.Fatal(http.ListenAndServe(os.Args[2], http.HandlerFunc(func(writer http.ResponseWriter, request *http.Request) {
		if err := serve(snapshots, request.Body); err != nil {
			http.Error(writer, err.Error(), http.StatusBadRequest)
		}
	})))
}

func printer() server.CallbackFuncs {
	var one sync.Mutex
	output := json.NewEncoder(os.Stdout)
	return server.CallbackFuncs{
		StreamRequestFunc: func(stream int64, request *discovery.DiscoveryRequest) error {
			one.Lock()
			defer one.Unlock()
			return output.Encode(map[string]any{
				"stream":  stream,
				"node":    request.GetNode().GetId(),
				"version": request.GetVersionInfo(),
				"nonce":   request.GetResponseNonce(),
				"error":   request.GetErrorDetail().GetMessage(),
			})
		},
	}
}

func serve(snapshots cache.SnapshotCache, body io.Reader) error {
	var next snapshot
	if err := json.NewDecoder(body).Decode(&next); err != nil {
		return err
	}
	resources := make([]types.Resource, len(next.Resources))
	for place, text := range next.Resources {
		one := &rules.RateLimitConfig{}
		if err := protojson.Unmarshal(text, one); err != nil {
			return fmt.Errorf("resource %d: %w", place, err)
		}
		resources[place] = one
	}
	made, err := cache.NewSnapshot(next.Version, map[resource.Type][]types.Resource{
		resource.RateLimitConfigType: resources,
	})
	if err != nil {
		return err
	}
	return snapshots.SetSnapshot(context.Background(), next.Node, made)
}
