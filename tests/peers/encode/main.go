// Command encode shows what Kubernetes' own code makes of a body: it reads one
// request per line from its standard input and answers each on a line.
//
// The requests, by their "do":
//
//	encode    an object as JSON → the same object as protobuf, and as JSON again
//	protobuf  a protobuf body → the object as JSON
//	json      a JSON body, decoded as with fieldValidation=Strict → what is said against it
//	merge     an object, a strategic merge patch → the merged object
package main

import (
	"bufio"
	"bytes"
	stdjson "encoding/json"
	"fmt"
	"os"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/runtime/serializer/json"
	"k8s.io/apimachinery/pkg/runtime/serializer/protobuf"
	utiljson "k8s.io/apimachinery/pkg/util/json"
	"k8s.io/apimachinery/pkg/util/strategicpatch"
	"k8s.io/client-go/kubernetes/scheme"
)

// maxLine bounds one request: a body of the three megabytes that a server takes, as base64, twice.
const maxLine = 16 << 20

type request struct {
	Do       string             `json:"do"`
	Body     []byte             `json:"body"`
	Document stdjson.RawMessage `json:"document"`
	Patch    stdjson.RawMessage `json:"patch"`
}

type answer struct {
	Object   stdjson.RawMessage `json:"object,omitempty"`
	Protobuf []byte             `json:"protobuf,omitempty"`
	Error    string             `json:"error,omitempty"`
	Strict   []string           `json:"strict,omitempty"`
}

var (
	types   = scheme.Scheme
	lenient = json.NewSerializerWithOptions(json.DefaultMetaFactory, types, types, json.SerializerOptions{})
	strict  = json.NewSerializerWithOptions(json.DefaultMetaFactory, types, types, json.SerializerOptions{Strict: true})
	binary  = protobuf.NewSerializer(types, types)
)

func main() {
	if err := apiextensionsv1.AddToScheme(types); err != nil {
		panic(err)
	}
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(nil, maxLine)
	out := stdjson.NewEncoder(os.Stdout)
	for lines.Scan() {
		if err := out.Encode(answerTo(lines.Bytes())); err != nil {
			panic(err)
		}
	}
	if err := lines.Err(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func answerTo(line []byte) answer {
	var asked request
	if err := stdjson.Unmarshal(line, &asked); err != nil {
		return answer{Error: err.Error()}
	}
	given, err := perform(asked)
	if strictly, ok := runtime.AsStrictDecodingError(err); ok {
		for _, one := range strictly.Errors() {
			given.Strict = append(given.Strict, one.Error())
		}
	} else if err != nil {
		given.Error = err.Error()
	}
	return given
}

func perform(asked request) (answer, error) {
	switch asked.Do {
	case "encode":
		return encode(asked.Document)
	case "protobuf":
		object, _, err := binary.Decode(asked.Body, nil, nil)
		if err != nil {
			return answer{}, err
		}
		written, err := write(lenient, object)
		return answer{Object: written}, err
	case "json":
		_, _, err := strict.Decode(asked.Body, nil, nil)
		return answer{}, err
	case "merge":
		return merge(asked.Document, asked.Patch)
	}
	return answer{}, fmt.Errorf("nothing is called %q", asked.Do)
}

func encode(document []byte) (answer, error) {
	object, _, err := lenient.Decode(document, nil, nil)
	if err != nil {
		return answer{}, err
	}
	body, err := write(binary, object)
	if err != nil {
		return answer{}, err
	}
	written, err := write(lenient, object)
	return answer{Object: written, Protobuf: body}, err
}

func write(serializer runtime.Serializer, object runtime.Object) ([]byte, error) {
	var written bytes.Buffer
	err := serializer.Encode(object, &written)
	return written.Bytes(), err
}

func merge(document, patch []byte) (answer, error) {
	var original, changes map[string]any
	if err := utiljson.Unmarshal(document, &original); err != nil {
		return answer{}, err
	}
	if err := utiljson.Unmarshal(patch, &changes); err != nil {
		return answer{}, err
	}
	kind := metav1.TypeMeta{APIVersion: original["apiVersion"].(string), Kind: original["kind"].(string)}
	object, err := types.New(schema.FromAPIVersionAndKind(kind.APIVersion, kind.Kind))
	if err != nil {
		return answer{}, err
	}
	merged, err := strategicpatch.StrategicMergeMapPatch(original, changes, object)
	if err != nil {
		return answer{}, err
	}
	written, err := utiljson.Marshal(merged)
	return answer{Object: written}, err
}
