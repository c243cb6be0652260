# arcbatt in a container, with the live view:
#   docker build -t arcbatt .
#   docker run --rm -v "$PWD":/work arcbatt run --out run
# For an NVIDIA GPU: docker build --build-arg EXTRAS=watch,cuda12 -t arcbatt . and docker run --gpus all ...
FROM python:3.13-slim AS build
RUN apt-get update && apt-get install -y --no-install-recommends g++ && rm -rf /var/lib/apt/lists/*
COPY . /source
RUN pip wheel --no-deps --wheel-dir /wheels /source

FROM python:3.13-slim
ARG EXTRAS=watch
COPY --from=build /wheels /wheels
RUN pip install --no-cache-dir "$(echo /wheels/arcbatt-*.whl)[$EXTRAS]" && rm -r /wheels
WORKDIR /work
ENTRYPOINT ["arcbatt"]
CMD ["--help"]
